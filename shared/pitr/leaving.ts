import { ApiError } from '../contract/errors.ts';
import { after, type Tenant } from '../platform/index.ts';
import { microsOf, shownMoment } from './moment.ts';
import { readPitr } from './scene.ts';
import { windowsOf } from './windows.ts';

/** What is captured is bound to the organization: a project moves once nothing of it can be restored any more. */
export const refuseIfCaptured = async (tenant: Tenant, projectId: string, now: Date): Promise<void> => {
  const pitr = await readPitr(tenant, projectId);
  if (!pitr) return;
  if (pitr.status !== 'disabled')
    throw new ApiError('CONFLICT', 'Point-in-time recovery of this project is enabled; disable it before the project is moved');
  if (windowsOf(pitr, now).windows.length === 0) return;
  const until = shownMoment(
    after(new Date(microsOf(pitr.capturedTo ?? '') / 1_000), pitr.retentionDays * 24 * 3_600).getTime() * 1_000,
  );
  throw new ApiError('CONFLICT', `What was captured of this project can be restored until ${until}; it can be moved after that`, {
    until,
  });
};
