/** What a restore to a moment would do, told within the call that asks: the moment is made in memory, and nothing is written anywhere. */
import { type ArchiveDeps, type RequestCaller, requestArchiveDeps, toReadError } from '../../backup/index.ts';
import { buildPointInMemory, isSmall, microsOf, PointTooLarge, shownMoment } from '../../pitr/index.ts';
import { after } from '../../platform/index.ts';
import type { MomentAsked } from '../point-in-time/point-request.ts';
import { type RestoreEngine, restoreEngine } from '../restore-deps.ts';
import { type PlanAsked, planInCall } from './plan-in-request.ts';

/** Of the 20 s of the call the plan itself needs most. */
const makingSeconds = 5;

/** Undefined if it does not fit into a call: then it takes a job. */
export const planMomentInCall = async (
  asker: RequestCaller,
  asked: PlanAsked,
  { plan }: MomentAsked,
  doors: RestoreEngine & ArchiveDeps = { ...restoreEngine, ...requestArchiveDeps, verifyHeaders: true },
): ReturnType<typeof planInCall> => {
  if (!isSmall(plan)) return undefined;
  const { clock } = doors;
  try {
    const made = await buildPointInMemory(asker.tenant, asked.backup, plan, doors, {
      until: after(clock.now(), makingSeconds),
      clock,
    });
    const planned = await planInCall(asker, { ...asked, backup: made.backup }, made.doors);
    const pointInTime = shownMoment(microsOf(plan.point.moment));
    return planned && { ...planned, backupId: plan.base.id, pointInTime };
  } catch (error) {
    if (error instanceof PointTooLarge) return undefined;
    throw toReadError(error);
  }
};
