import { eventKey } from '../../event/index.ts';
import { isDamaged, isGood } from '../../overview/index.ts';
import { get, log, type Tenant } from '../../platform/index.ts';
import { backupKey } from '../../stored-backup/index.ts';
import { readStoredEvent } from '../../webhook/index.ts';
import { ensureDefaultAlert } from '../model/default-alert.ts';
import { applyLockProblem } from './apply-lock-problem.ts';
import { applySignal } from './apply-signal.ts';
import { signalsOfEvent } from './signals-of-event.ts';

/** Applies an event to the organization's incidents. Idempotent. */
export const applyEvent = async (tenant: Tenant, eventId: string, now: Date): Promise<void> => {
  const item = await get(eventKey(tenant, eventId));
  if (!item) return log.info('event expired before it could open or close an incident', { eventId });
  // An organization from before alerts existed that has neither schedules nor captures is found by what it does.
  await ensureDefaultAlert(tenant, now);
  const { signals, goodBackupId, damage } = signalsOfEvent(readStoredEvent(item));
  if (goodBackupId !== undefined) {
    // A safety backup, a part of the database or a damaged backup protects nothing.
    const backup = await get(backupKey.backup(tenant, goodBackupId));
    if (!backup || !isGood(backup)) return;
    await applyLockProblem(tenant, backup, now);
  }
  for (const signal of signals) await applySignal(tenant, signal, now);
  if (!damage) return;
  // A verification may have passed since.
  const backup = await get(backupKey.backup(tenant, damage.subject.id));
  if (backup?.status === 'completed' && isDamaged(backup)) await applySignal(tenant, damage, now);
};
