import { ApiError } from '../../contract/errors.ts';
import { after, iso, type Tenant } from '../../platform/index.ts';
import { readPitr } from '../model/cycle-context.ts';
import { microsOf } from '../model/micro-time.ts';
import { windowsOf } from '../timeline/windows.ts';
import { daysKept } from './capture-retention.ts';

/** What is captured is bound to the organization: a project moves once nothing of it can be restored any more. */
export const refuseIfCaptured = async (tenant: Tenant, projectId: string, now: Date): Promise<void> => {
  const pitr = await readPitr(tenant, projectId);
  if (!pitr) return;
  if (pitr.status !== 'disabled')
    throw new ApiError('CONFLICT', 'Point-in-time recovery of this project is enabled; disable it before the project is moved');
  const { windows } = windowsOf(pitr, now);
  if (windows.length === 0 && pitr.bases.length === 0) return;
  const lastMicros = microsOf(pitr.capturedTo ?? '');
  // It is offered for as long as it was to be kept, stays a day longer, and is looked for once a day.
  const days = windows.length > 0 ? pitr.retentionDays : daysKept(pitr, now) + 2;
  const until = iso(after(new Date(lastMicros / 1_000), days * 24 * 3_600));
  const message =
    windows.length > 0
      ? `What was captured of this project can be restored until ${until}; it can be moved when it is removed, two days later`
      : `What was captured of this project is removed by ${until}; it can be moved after that`;
  throw new ApiError('CONFLICT', message, { until });
};
