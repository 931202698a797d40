/** What a restore to a moment would do, told within the call that asks: the moment is made in memory, and nothing is written anywhere. */
import { asReadingError, type Doors, type RequestCaller, requestArchiveDeps } from '../../backup/index.ts';
import { isSmall, microsOf, PointTooLarge, pointInMemory, shownMoment } from '../../pitr/index.ts';
import { after } from '../../platform/index.ts';
import type { PointRequest } from '../point-in-time/point-request.ts';
import { type RestoreDeps, restoreDeps } from '../restore-deps.ts';
import { type PlanRequest, planInRequest } from './plan-in-request.ts';

/** Of the 20 s of the call the plan itself needs most. */
const makingSeconds = 5;

/** Undefined if it does not fit into a call: then it takes a job. */
export const planPointInTime = async (
  asker: RequestCaller,
  asked: PlanRequest,
  { plan }: PointRequest,
  doors: RestoreDeps & Doors = { ...restoreDeps, ...requestArchiveDeps, provesHeaders: true },
): ReturnType<typeof planInRequest> => {
  if (!isSmall(plan)) return undefined;
  const { clock } = doors;
  try {
    const made = await pointInMemory(asker.tenant, asked.backup, plan, doors, {
      until: after(clock.now(), makingSeconds),
      clock,
    });
    const planned = await planInRequest(asker, { ...asked, backup: made.backup }, made.doors);
    const pointInTime = shownMoment(microsOf(plan.point.moment));
    return planned && { ...planned, backupId: plan.base.id, pointInTime };
  } catch (error) {
    if (error instanceof PointTooLarge) return undefined;
    throw asReadingError(error);
  }
};
