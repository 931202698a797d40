/** Detects and reports a capture that makes no progress, once per outage. */
import { logLines } from '../../contract/runtime/alarm-log-lines.ts';
import { commit, log, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import { loadCycleContext } from '../model/cycle-context.ts';
import { microsOf } from '../model/micro-time.ts';
import { type PitrRecord, pitrKey } from '../model/record.ts';
import { problemOf } from '../timeline/problem.ts';
import { changeEvent } from '../view/pitr-events.ts';

/** Intervals that may be missed. */
const intervalsMax = 3;
/** A failed cycle is retried within five minutes. */
const activeSeconds = 15 * 60;
/** The base backup of a large database takes long. */
const startingSeconds = 2 * 3_600;

/** Time of the last capture, if that is too long ago. */
export const stalledSince = (pitr: PitrRecord, now: Date): string | undefined => {
  const { status, enabledAt, lastCapture, begunAt, captureIntervalSeconds } = pitr;
  if (status === 'disabled' || enabledAt === null) return undefined;
  const since = latest(enabledAt, lastCapture?.at);
  const isOlder = (moment: string, seconds: number): boolean =>
    now.getTime() - Date.parse(moment) > Math.max(seconds, intervalsMax * captureIntervalSeconds) * 1_000;
  // A capture that begins again and again without progress counts as stalled, too.
  const isStopped = isOlder(since, startingSeconds) || (status === 'active' && isOlder(latest(since, begunAt), activeSeconds));
  return isStopped ? since : undefined;
};

const latest = (one: string, other: string | undefined): string => (other !== undefined && other > one ? other : one);

export const shouldReportStall = (pitr: PitrRecord, now: Date): boolean => {
  const since = stalledSince(pitr, now);
  return since !== undefined && since !== pitr.stoppedTold;
};

/** Marks the record, emits an event if there is a gap, and logs the line that an alarm counts. */
export const reportStalled = async (tenant: Tenant, projectId: string, now: Date): Promise<void> => {
  const cycle = await loadCycleContext(tenant, projectId);
  if (!cycle || !shouldReportStall(cycle.pitr, now)) return;
  const { pitr } = cycle;
  const since = stalledSince(pitr, now);
  const gap = pitr.gaps.findLast(({ to, collections }) => to === null && collections === undefined);
  const period = gap && { count: 0, from: microsOf(gap.from), to: now.getTime() * 1_000, collections: [] };
  const expected = { stoppedTold: pitr.stoppedTold, turn: pitr.turn };
  try {
    await commit([
      set(pitrKey.pitr(tenant, projectId), { stoppedTold: since }, { expected, onConditionFailed: () => new StaleReadError() }),
      ...(period ? [changeEvent(cycle, { changes: period, now, gap })] : []),
    ]);
  } catch (error) {
    // A cycle has ended meanwhile: the next run of the watchdog checks again.
    if (error instanceof StaleReadError) return;
    throw error;
  }
  const { organizationId } = tenant;
  log.error(logLines.captureStopped, { organizationId, projectId, status: pitr.status, since, problem: problemOf(pitr, now) });
};
