import { useState } from 'react';
import { isFoundDamaged, isOwnBackup } from '../../../../../shared/client/index.ts';
import { usePermission } from '../../api/permission.ts';
import { useDiff } from '../../data/backup-contents.ts';
import { type Backup, useBackups } from '../../data/backups.ts';
import { useDeletedDocuments } from '../../data/documents.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Progress } from '../../ui/data/progress.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { PathLinks } from './path-links.tsx';

/** Documents that vanished lately, so that nothing need be typed: from captured changes, or by comparing the latest backup. */
export const DeletedLately = ({ projectId }: { readonly projectId: string }) => {
  const { data, error, refetch } = useDeletedDocuments(projectId, true);
  if (error && !data)
    return <ErrorNotice error={error} title="The deleted documents could not be listed" onRetry={() => void refetch()} />;
  if (!data)
    return (
      <Card title="Deleted lately">
        <SkeletonText lines={4} />
      </Card>
    );
  if (!data.captured) return <SinceLatestBackup projectId={projectId} />;
  const { documents, searchedFrom, complete } = data;
  return (
    <Card
      flush
      title="Deleted lately"
      description={
        searchedFrom && !complete ? (
          <>
            Captured deletions since <Time at={searchedFrom} />, newest first.
          </>
        ) : (
          'Captured deletions, newest first.'
        )
      }
    >
      {documents.length === 0 ? (
        <EmptyState icon="checkCircle" title="Nothing was deleted">
          No captured deletion is newer than what was searched.
        </EmptyState>
      ) : (
        <PathLinks projectId={projectId} documents={documents} />
      )}
    </Card>
  );
};

const SinceLatestBackup = ({ projectId }: { readonly projectId: string }) => {
  const { items, query } = useBackups({ projectId, status: 'completed', limit: 20 });
  const latest = items?.find((backup) => isOwnBackup(backup) && !isFoundDamaged(backup));
  if (query.error && !items) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  if (!items)
    return (
      <Card title="Deleted lately">
        <SkeletonText lines={4} />
      </Card>
    );
  if (!latest)
    return (
      <Card>
        <EmptyState icon="archive" title="There is no backup of this project yet">
          What was deleted is found by comparing with a backup.
        </EmptyState>
      </Card>
    );
  return <Comparison projectId={projectId} latest={latest} />;
};

const Comparison = ({ projectId, latest }: { readonly projectId: string; readonly latest: Backup }) => {
  const [isStarted, setStarted] = useState(false);
  const { reason } = usePermission('member');
  const { query, changes } = useDiff({ backupId: latest.id, against: 'live' }, 0, isStarted);
  const removed = changes?.filter(({ change }) => change === 'removed');
  const since = (
    <>
      since the latest backup, <Time at={latest.readTime ?? latest.createdAt} relative />
    </>
  );
  if (!isStarted)
    return (
      <Card>
        <EmptyState
          icon="trash"
          title="What was deleted?"
          actions={
            <Button variant="secondary" disabledReason={reason} onClick={() => setStarted(true)}>
              Show what was deleted
            </Button>
          }
        >
          Compares the live database with the latest backup (<Time at={latest.readTime ?? latest.createdAt} relative />
          ). Google bills about {formatPlural(latest.documentCount, 'read')}.
        </EmptyState>
      </Card>
    );
  return (
    <Card flush title="Deleted lately" description={<>Documents that are missing {since}.</>}>
      {query.error && !removed ? (
        <ErrorNotice error={query.error} title="The comparison failed" onRetry={() => void query.refetch()} />
      ) : !removed ? (
        <div className="stack find__note" role="status">
          <p>Comparing {formatCount(latest.documentCount)} documents with the live database…</p>
          <Progress label="Comparison" percent={undefined} />
        </div>
      ) : removed.length === 0 && !query.hasNextPage ? (
        <EmptyState icon="checkCircle" title="Nothing is missing">
          Every document of the latest backup exists. It may have been deleted before that backup: find it by its path.
        </EmptyState>
      ) : (
        <PathLinks projectId={projectId} documents={removed} />
      )}
      <LoadMore query={query} label="Go on comparing" />
    </Card>
  );
};
