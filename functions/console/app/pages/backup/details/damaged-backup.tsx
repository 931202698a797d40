import { usePermission } from '../../../api/permission.ts';
import type { Backup } from '../../../data/backups.ts';
import { paths } from '../../../paths.ts';
import { Notice } from '../../../ui/data/notice.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { LastGood } from './last-good.tsx';

/** What damage means for the data, which backup to use instead, and the way to a new one. */
export const DamagedBackup = ({ backup: { projectId } }: { readonly backup: Backup }) => {
  const { reason } = usePermission('member');
  return (
    <Notice
      tone="bad"
      title="This backup is damaged"
      actions={
        <ButtonLink
          variant="primary"
          size="small"
          icon="archive"
          to={`${paths.backups}?start=${projectId}`}
          disabledReason={reason}
        >
          Back up now
        </ButtonLink>
      }
    >
      <p>Some documents may not be restorable. Use another backup if you can, and back up again now.</p>
      <LastGood projectId={projectId}>Until one succeeds, only what is intact here can be restored.</LastGood>
    </Notice>
  );
};
