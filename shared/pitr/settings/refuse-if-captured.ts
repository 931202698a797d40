import { ApiError } from '../../contract/errors.ts';
import { after, iso, type Tenant } from '../../platform/index.ts';
import { readPitr } from '../model/cycle-context.ts';
import { microsOf } from '../model/micro-time.ts';
import { windowsOf } from '../timeline/windows.ts';
import { daysKept } from './capture-retention.ts';

/** Captures belong to the organization: a project can be moved once none of them can be restored any more. */
export const refuseIfCaptured = async (tenant: Tenant, projectId: string, now: Date): Promise<void> => {
  const pitr = await readPitr(tenant, projectId);
  if (!pitr) return;
  if (pitr.status !== 'disabled')
    throw new ApiError(
      'CONFLICT',
      `Point-in-time recovery of this project is enabled; disable it before you move the project. The changes captured until then block the move until they expire, for up to ${daysKept(pitr, now) + 2} days`,
    );
  const { windows } = windowsOf(pitr, now);
  if (windows.length === 0 && pitr.bases.length === 0) return;
  const lastMicros = microsOf(pitr.capturedTo ?? '');
  // Captures are kept a day longer than they are offered, and expire in a daily run.
  const days = windows.length > 0 ? pitr.retentionDays : daysKept(pitr, now) + 2;
  const until = iso(after(new Date(lastMicros / 1_000), days * 24 * 3_600));
  const message =
    windows.length > 0
      ? `The captured changes of this project can be restored until ${until}; it can be moved two days later, when they are deleted`
      : `The captured changes of this project are deleted by ${until}; it can be moved after that`;
  throw new ApiError('CONFLICT', message, { until });
};
