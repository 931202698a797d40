/** A project that is to be captured and is not: told once for each outage, so that someone looks. */
import { logLines } from '../../contract/runtime/alarm-log-lines.ts';
import { commit, log, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import { loadCycleContext } from '../model/cycle-context.ts';
import { problemOf } from '../model/failure-backoff.ts';
import { microsOf } from '../model/micro-time.ts';
import type { PitrRecord } from '../model/record.ts';
import { pitrKey } from '../model/record.ts';
import { changeEvent } from '../view/pitr-events.ts';

/** Intervals that may be missed. */
const intervalsMax = 3;
/** A turn that fails is tried again within five minutes. */
const activeSeconds = 15 * 60;
/** Captures begin with a base, and one of a large database takes its time. */
const startingSeconds = 2 * 3_600;

/** Since when nothing was captured, if that is too long ago. */
export const stalledSince = (pitr: PitrRecord, now: Date): string | undefined => {
  const { status, enabledAt, lastCapture, begunAt, captureIntervalSeconds } = pitr;
  if (status === 'disabled' || enabledAt === null) return undefined;
  const since = latest(enabledAt, lastCapture?.at);
  const isOlder = (moment: string, seconds: number): boolean =>
    now.getTime() - Date.parse(moment) > Math.max(seconds, intervalsMax * captureIntervalSeconds) * 1_000;
  // What begins again and again, and captures nothing, is not forgiven for that.
  const isStopped = isOlder(since, startingSeconds) || (status === 'active' && isOlder(latest(since, begunAt), activeSeconds));
  return isStopped ? since : undefined;
};

const latest = (one: string, other: string | undefined): string => (other !== undefined && other > one ? other : one);

/** Whether it is to be told: once for each outage. */
export const shouldReportStall = (pitr: PitrRecord, now: Date): boolean => {
  const since = stalledSince(pitr, now);
  return since !== undefined && since !== pitr.stoppedTold;
};

/** Says so on the record, by an event if there is a gap, and in the log, where an alarm counts it. */
export const reportStalled = async (tenant: Tenant, projectId: string, now: Date): Promise<void> => {
  const cycle = await loadCycleContext(tenant, projectId);
  // Nothing is captured of what is deleted.
  if (!cycle || !shouldReportStall(cycle.pitr, now)) return;
  const { pitr } = cycle;
  const since = stalledSince(pitr, now);
  const gap = pitr.gaps.findLast(({ to, collections }) => to === null && collections === undefined);
  const told = gap && { count: 0, from: microsOf(gap.from), to: now.getTime() * 1_000, collections: [] };
  const expected = { stoppedTold: pitr.stoppedTold, turn: pitr.turn };
  try {
    await commit([
      set(pitrKey.pitr(tenant, projectId), { stoppedTold: since }, { expected, onConditionFailed: () => new StaleReadError() }),
      ...(told ? [changeEvent(cycle, told, now, gap)] : []),
    ]);
  } catch (error) {
    // A turn has ended: the next run sees what came of it.
    if (error instanceof StaleReadError) return;
    throw error;
  }
  const { organizationId } = tenant;
  log.error(logLines.captureStopped, { organizationId, projectId, status: pitr.status, since, problem: problemOf(pitr) });
};
