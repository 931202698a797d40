/** Dry run of a point-in-time restore within one request: the point is built in memory, and nothing is written. */

import { buildPointInMemory, isSmall, microsOf, PointTooLarge, shownDivergence, shownMoment } from '../../pitr/index.ts';
import { after } from '../../platform/index.ts';
import { type ArchiveDeps, type RequestCaller, requestArchiveDeps, toReadError } from '../../stored-backup/index.ts';
import type { RestorablePoint } from '../point-in-time/point-request.ts';
import { type RestoreDeps, restoreDeps } from '../restore-deps.ts';
import { type PlanRequest, planInRequest } from './plan-in-request.ts';

/** The share of the request's 20 s for building the point; the plan itself needs most of them. */
const buildSeconds = 5;

/** Undefined if it does not fit into a request and needs a job. */
export const planPointInTime = async (
  caller: RequestCaller,
  {
    request,
    pointRequest: { plan },
    deps = { ...restoreDeps, ...requestArchiveDeps, verifyHeaders: true },
  }: {
    readonly request: PlanRequest;
    readonly pointRequest: RestorablePoint;
    readonly deps?: (RestoreDeps & ArchiveDeps) | undefined;
  },
): ReturnType<typeof planInRequest> => {
  if (!isSmall(plan)) return undefined;
  const { clock } = deps;
  try {
    const built = await buildPointInMemory(caller.tenant, {
      backup: request.backup,
      plan,
      deps,
      until: after(clock.now(), buildSeconds),
      clock,
    });
    const planned = await planInRequest(caller, { ...request, backup: built.backup }, built.deps);
    const pointInTime = shownMoment(microsOf(plan.point.moment));
    const { uncovered, diverged } = plan.point;
    const partial = uncovered ? { ...uncovered, collections: [...uncovered.collections] } : null;
    const marked = diverged ? shownDivergence(diverged) : null;
    return planned && { ...planned, backupId: plan.base.id, pointInTime, partial, diverged: marked };
  } catch (error) {
    if (error instanceof PointTooLarge) return undefined;
    throw toReadError(error);
  }
};
