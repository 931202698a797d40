import { Link } from '@tanstack/react-router';
import { jobEntries } from '../../data/job-words.ts';
import { phaseWords } from '../../data/restore-words.ts';
import { isRestoreActive, type Restore, useRestore, useRestoreTimeline } from '../../data/restores.ts';
import { PageFailure } from '../../frame/page-failure.tsx';
import { DivergedNotice, MissingNames, PartialNotice } from '../../parts/missing-names.tsx';
import { TimelineCard } from '../../parts/timeline-card.tsx';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Time } from '../../ui/data/time.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { useParam } from '../../use-param.ts';
import { FailureNotice } from './failure-notice.tsx';
import { Failures } from './failures.tsx';
import { FindingsNotice } from './findings-notice.tsx';
import { RestoreActions } from './restore-actions.tsx';
import { RestoreFacts } from './restore-facts.tsx';
import { RestoreProgress } from './restore-progress.tsx';
import { RestoreResult } from './restore-result.tsx';

const crumb = { label: 'Restores', to: paths.restores };

export const RestorePage = () => {
  const { data, dataUpdatedAt, error, refetch } = useRestore(useParam('restoreId'));
  if (error && !data) return <PageFailure error={error} what="restore" crumb={crumb} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <>
        <PageHeader title="Restore" crumbs={[crumb]} />
        <SkeletonText />
      </>
    );
  return (
    <>
      <PageHeader
        title={titleOf(data)}
        crumbs={[crumb]}
        badge={
          <>
            <Status status={data.status} />
            {data.dryRun && <Badge>Plan only</Badge>}
            {data.undoneBy !== null && <Badge>Undone</Badge>}
          </>
        }
        actions={<RestoreActions key={data.restoreJobId} restore={data} />}
      />
      <div className="stack">
        {error && <ErrorNotice error={error} title="The page is not up to date" onRetry={() => void refetch()} />}
        <FailureNotice restore={data} />
        <Success restore={data} />
        {data.partial && <PartialNotice partial={data.partial} />}
        {data.diverged && <DivergedNotice diverged={data.diverged} />}
        <MissingNames names={data} />
        <FindingsNotice restore={data} />
        {isRestoreActive(data) && <RestoreProgress restore={data} seenAt={dataUpdatedAt} />}
        <RestoreResult restore={data} />
        <Failures restore={data} />
        <div className={data.status === 'completed' ? 'restore__columns' : 'stack'}>
          <RestoreFacts restore={data} />
          <RestoreTimeline restore={data} />
        </div>
      </div>
    </>
  );
};

const titleOf = ({ dryRun, undoOf, targetProjectName }: Restore): string => {
  if (undoOf !== null) return `${dryRun ? 'Plan of an undo' : 'Undo'} in ${targetProjectName}`;
  return `${dryRun ? 'Plan of a restore' : 'Restore'} into ${targetProjectName}`;
};

/** The outcome, and how long it can be taken back. */
const Success = ({ restore }: { readonly restore: Restore }) => {
  const { status, dryRun, undoneBy, undoOf, undoUntil, safetyBackupId } = restore;
  if (status !== 'completed' || dryRun) return null;
  if (undoneBy !== null)
    return (
      <Notice title="This restore was undone">
        The documents are as they were before it. <Link to={paths.restore(undoneBy)}>See the undo</Link>
      </Notice>
    );
  const { notFoundCount, unknownCollectionsCount, documentsFailed, partial, findingsCount } = restore;
  const isExceptional = notFoundCount + unknownCollectionsCount + documentsFailed + findingsCount > 0 || partial !== null;
  return (
    <Notice
      tone={isExceptional ? 'warn' : 'good'}
      title={`The ${undoOf === null ? 'restore' : 'undo'} is complete${isExceptional ? ', with exceptions' : ''}`}
    >
      {undoUntil !== null && safetyBackupId !== null ? (
        <>
          Every document of the plan is accounted for. You can undo it until <Time at={undoUntil} />.
        </>
      ) : (
        'Every document of the plan is accounted for.'
      )}
    </Notice>
  );
};

const RestoreTimeline = ({ restore }: { readonly restore: Restore }) => {
  const { data } = useRestoreTimeline(restore);
  return <TimelineCard entries={jobEntries(data?.entries, (name) => phaseWords[name as Restore['phase']])} />;
};
