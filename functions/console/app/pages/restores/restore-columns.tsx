import { Link } from '@tanstack/react-router';
import { startedBy } from '../../data/job-words.ts';
import { modeWords } from '../../data/restore-words.ts';
import { isRestoreActive, type RestoreEntry } from '../../data/restores.ts';
import { formatCount } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { Email } from '../../ui/data/email.tsx';
import { None } from '../../ui/data/none.tsx';
import type { Column } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';

export const columns: readonly Column<RestoreEntry>[] = [
  {
    key: 'what',
    label: 'Restore',
    isTitle: true,
    cell: (restore) => (
      <span className="jobs__stack">
        <Link to={paths.restore(restore.restoreJobId)}>
          <Time at={restore.date} />
        </Link>
        <span className="small muted regular wrap-anywhere">{scopeOf(restore)}</span>
      </span>
    ),
  },
  {
    key: 'status',
    label: 'Status',
    cell: ({ jobStatus, dryRun, undoneBy }) => {
      if (undoneBy !== null) return <Badge>Undone</Badge>;
      return dryRun && jobStatus === 'completed' ? <Badge>Planned</Badge> : <Status status={jobStatus} />;
    },
  },
  { key: 'from', label: 'From', cell: (restore) => <SourceOf restore={restore} /> },
  {
    key: 'into',
    label: 'Into',
    cell: ({ targetProject: { id, name } }) => (
      <Link to={paths.project(id)} className="jobs__name">
        {name}
      </Link>
    ),
  },
  { key: 'mode', label: 'Mode', cell: ({ mergeMode, undoOf }) => (undoOf === null ? modeWords[mergeMode].name : 'Undo') },
  {
    key: 'by',
    label: 'Started by',
    cell: ({ createdBy }) => (
      <span className="jobs__person">
        <Email text={startedBy(createdBy)} />
      </span>
    ),
  },
  { key: 'documents', label: 'Written', isNumber: true, cell: (restore) => <DocumentsOf restore={restore} /> },
  {
    key: 'duration',
    label: 'Took',
    isNumber: true,
    cell: ({ duration, jobStatus }) =>
      duration === null || isRestoreActive({ status: jobStatus }) ? (
        <None />
      ) : (
        <span className="jobs__took">{formatDuration(Math.max(1, duration) * 1_000)}</span>
      ),
  },
];

/** What was restored, in a few words. */
const scopeOf = ({ collections, documentIds, dryRun, undoOf }: RestoreEntry): string => {
  const names = documentIds ?? (collections.includes('*') ? ['Everything'] : collections);
  const [first = 'Everything'] = names;
  const rest = names.length - 1;
  const scope = undoOf !== null ? 'What a restore changed' : rest > 0 ? `${first} and ${formatCount(rest)} more` : first;
  return dryRun ? `Plan only: ${scope}` : scope;
};

const SourceOf = ({ restore: { pointInTime, sourceBackup, projectName, undoOf } }: { readonly restore: RestoreEntry }) => (
  <span className="jobs__stack">
    <Time at={pointInTime ?? sourceBackup.createdAt} />
    <span className="muted small jobs__name">
      {pointInTime !== null ? 'Point in time' : undoOf !== null ? 'Safety backup' : 'Backup'} of {projectName}
    </span>
  </span>
);

/** As on the page of the restore: documents that were equal already were not written. */
const DocumentsOf = ({ restore }: { readonly restore: RestoreEntry }) => {
  const { documentsRestored, documentsUnchanged, documentsDeleted, documentsFailed, dryRun } = restore;
  if (dryRun) return <None />;
  return (
    <span className="jobs__stack">
      {formatCount(documentsRestored - documentsUnchanged)}
      {documentsDeleted > 0 && <span className="small secondary">{formatCount(documentsDeleted)} deleted</span>}
      {documentsFailed > 0 && <span className="bad small">{formatCount(documentsFailed)} failed</span>}
    </span>
  );
};
