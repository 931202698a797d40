import { type Backup, isUnusual } from '../../data/backups.ts';
import { Notice } from '../../ui/data/notice.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';

interface UnusualNoticeProps {
  readonly backup: Backup;
  readonly onChange: (backupId: string) => void;
}

/**
 * Warns at every step that the chosen backup may hold the result of an attack, and offers the last one from before. What was found in changes
 * captured after a backup is not in it.
 */
export const UnusualNotice = ({ backup, onChange }: UnusualNoticeProps) => {
  const { anomaly } = backup;
  if (!anomaly || !isUnusual(backup) || anomaly.source === 'capture') return null;
  const { findings, keptBackupId, before } = anomaly;
  return (
    <Notice
      tone="warn"
      title="This backup may hold damage: unusual changes were found in it"
      actions={keptBackupId !== null && <Button onClick={() => onChange(keptBackupId)}>Use the last one from before</Button>}
    >
      {findings[0] && <p className="wrap-anywhere">{findings[0].message}.</p>}
      {before !== null && (
        <p>
          The last backup from before has the data of <Time at={before} />.
        </p>
      )}
    </Notice>
  );
};
