import type { ReactNode } from 'react';
import { isRestorePoint } from '../../../../../../shared/client/index.ts';
import { type Backup, isUnusual } from '../../../data/backups.ts';
import { policyWords } from '../../../data/retention-words.ts';
import { Card } from '../../../ui/data/card.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { Icon, type IconName } from '../../../ui/icon.tsx';

const Line = ({ icon, children }: { readonly icon: IconName; readonly children: ReactNode }) => (
  <li className="backup__line">
    <Icon name={icon} />
    <span>{children}</span>
  </li>
);

/** How long the backup is kept, and what protects it from being deleted. */
export const RetentionCard = ({ backup }: { readonly backup: Backup }) => {
  const { expiresAt, lockedUntil, immutableUntil, retentionPolicy, trigger, status } = backup;
  if (status === 'deleted' || status === 'expired' || status === 'failed' || status === 'cancelled') return null;
  const isImmutable = immutableUntil !== null && new Date(immutableUntil) > new Date();
  const isLocked = lockedUntil !== null && new Date(lockedUntil) > new Date();
  return (
    <Card title="How long it is kept">
      <ul className="stack stack--tight">
        {expiresAt ? (
          <Line icon="clock">
            Expires on <Time at={expiresAt} />. It stays longer while another backup or a point in time needs it.
          </Line>
        ) : (
          !retentionPolicy && <Line icon="clock">Kept until someone deletes it.</Line>
        )}
        {retentionPolicy && <Line icon="calendar">{`The schedule keeps ${policyWords(retentionPolicy)}. Others expire.`}</Line>}
        {isUnusual(backup) && <Line icon="alert">Kept until its unusual changes are acknowledged.</Line>}
        {isLocked ? (
          <Line icon="lock">
            {isImmutable ? (
              <>
                Immutable until <Time at={immutableUntil} />: the storage keeps every object that the backup needs locked, those
                of earlier backups included. No one can delete or change them before, not even this service, except with the
                permission to bypass a governance lock.
              </>
            ) : (
              <>
                Its own objects were locked until <Time at={lockedUntil} />. The storage has not confirmed the locks of all
                objects that it needs: verify the backup to check them.
              </>
            )}
          </Line>
        ) : (
          <Line icon="lock">
            {lockedUntil ? (
              <>
                The lock of the storage ended <Time at={lockedUntil} relative />.
              </>
            ) : (
              unlockedWords(backup)
            )}
          </Line>
        )}
        {trigger === 'safety' && <Line icon="undo">Taken before a restore, so that the restore can be undone.</Line>}
        {trigger === 'pitr-base' && (
          <Line icon="clock">
            {isRestorePoint(backup) ? 'Made for one point-in-time restore.' : 'Point-in-time recovery builds on it.'}
          </Line>
        )}
      </ul>
    </Card>
  );
};

const unlockedWords = (backup: Backup): string =>
  isUnusual(backup)
    ? 'Not locked: anyone with write access to the bucket can delete it.'
    : 'Not locked: an admin can delete it, and so can anyone with write access to the bucket.';
