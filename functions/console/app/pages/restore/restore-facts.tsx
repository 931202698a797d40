import { Link } from '@tanstack/react-router';
import { startedBy } from '../../data/job-words.ts';
import { modeWords } from '../../data/restore-words.ts';
import type { Restore } from '../../data/restores.ts';
import { formatCount, formatPlural, formatUsd } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import { PathList } from '../../parts/path-list.tsx';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { CopyButton } from '../../ui/data/code-block.tsx';
import { Email } from '../../ui/data/email.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Time } from '../../ui/data/time.tsx';

export const RestoreFacts = ({ restore }: { readonly restore: Restore }) => {
  const { cost, duration, undoUntil, undoneBy, safetyBackupId, undoOf, mergeMode, createdBy } = restore;
  return (
    <Card title="Details">
      <dl className="facts">
        <Fact label="From">
          <SourceOf restore={restore} />
        </Fact>
        <Fact label="Into">
          <Link to={paths.project(restore.targetProjectId)}>{restore.targetProjectName}</Link>
        </Fact>
        <Fact label="Scope">
          <ScopeOf restore={restore} />
        </Fact>
        <Fact label="Mode">
          {undoOf === null ? modeWords[mergeMode].name : 'Undo'}
          <div className="small muted">{undoOf === null ? modeWords[mergeMode].what : 'Puts the earlier state back.'}</div>
        </Fact>
        {restore.transform && (
          <Fact label="Masked">
            {formatPlural(restore.transform.rules, 'rule')}
            {restore.transform.documentsTransformed !== null && (
              <span className="muted small">
                {' '}
                {formatPlural(restore.transform.fieldsTransformed ?? 0, 'value')} in{' '}
                {formatPlural(restore.transform.documentsTransformed, 'document')} changed
              </span>
            )}
          </Fact>
        )}
        <Fact label="Started">
          <Time at={restore.startedAt} none="Not yet" />
        </Fact>
        <Fact label="Ended">
          <Time at={restore.completedAt} none="Not yet" />
        </Fact>
        {duration !== null && <Fact label="Took">{formatDuration(Math.max(1, duration) * 1_000)}</Fact>}
        <Fact label="Started by">
          <Email text={startedBy(createdBy)} />
        </Fact>
        {restore.attempts > 1 && <Fact label="Attempts">{formatCount(restore.attempts)}</Fact>}
        <Fact label="Safety backup">
          {safetyBackupId === null ? (
            <span className="muted">None</span>
          ) : (
            <Link to={paths.backup(safetyBackupId)}>What the restore changed, as it was before</Link>
          )}
        </Fact>
        {undoUntil !== null && undoneBy === null && (
          <Fact label="Can be undone until">
            <Time at={undoUntil} />
          </Fact>
        )}
        {undoOf !== null && (
          <Fact label="Undoes">
            <Link to={paths.restore(undoOf)}>The earlier restore</Link>
          </Fact>
        )}
        <Fact label="Cost">
          {formatUsd(cost.estimatedUsd)}
          <div className="muted small">
            {formatPlural(cost.reads, 'read')}, {formatPlural(cost.writes, 'write')}, {formatPlural(cost.deletes, 'delete')}
          </div>
        </Fact>
        <Fact label="Id" isLong>
          <span className="inline">
            <code className="wrap-anywhere">{restore.restoreJobId}</code>
            <CopyButton text={restore.restoreJobId} label="Copy the id" />
          </span>
        </Fact>
      </dl>
    </Card>
  );
};

const SourceOf = ({ restore: { pointInTime, projectName, projectId, backupId, undoOf } }: { readonly restore: Restore }) => {
  if (pointInTime !== null)
    return (
      <>
        <Link to={paths.project(projectId, 'point-in-time')}>{projectName}</Link> as of <Time at={pointInTime} />
      </>
    );
  if (undoOf !== null) return <Link to={paths.backup(backupId)}>The safety backup</Link>;
  return (
    <>
      <Link to={paths.backup(backupId)}>A backup</Link> of {projectName}
    </>
  );
};

const ScopeOf = ({ restore }: { readonly restore: Restore }) => {
  const { collections, documentIds, includeSubcollections, undoOf } = restore;
  if (undoOf !== null) return 'The documents that the restore changed';
  const names = documentIds ?? (collections.includes('*') ? undefined : collections);
  if (!names) return 'Everything';
  return (
    <>
      <PathList paths={names} total={names.length} />
      {!includeSubcollections && <span className="muted small">without subcollections</span>}
    </>
  );
};
