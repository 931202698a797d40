import { Link } from '@tanstack/react-router';
import type { Restore } from '../../data/restores.ts';
import { formatPlural } from '../../format/format-number.ts';
import { FindingList } from '../../parts/finding-list.tsx';
import { paths } from '../../paths.ts';
import { Notice } from '../../ui/data/notice.tsx';

/** What the restore found in the storage of its backup. */
export const FindingsNotice = ({ restore }: { readonly restore: Restore }) => {
  const { findings, findingsCount, backupId, status, dryRun } = restore;
  if (findingsCount === 0) return null;
  const more = findingsCount - findings.length;
  return (
    <Notice tone="warn" title={`${formatPlural(findingsCount, 'problem')} found in the storage of the backup`}>
      {status === 'completed' && !dryRun && 'Everything that the restore read is intact: it wrote exactly what was backed up. '}
      Back up again now, find out who changed the bucket, and verify <Link to={paths.backup(backupId)}>the backup</Link>.
      <FindingList findings={findings} />
      {more > 0 && <p className="small">And {formatPlural(more, 'other')}.</p>}
    </Notice>
  );
};
