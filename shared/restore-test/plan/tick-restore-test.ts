/** Handles a due plan: starts its runs, or reports that it could not. As ticks of schedules, each due time counts once. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type Clock, clock, commit, get, iso, retryOnConflict, type Tenant } from '../../platform/index.ts';
import { decideTick, type TickDecision } from '../../schedule/index.ts';
import { type SkippedProject, type StartedRuns, startRuns } from '../api/start-runs.ts';
import { dueTestWrites, setPlan } from '../model/plan-writes.ts';
import { type RestoreTestRecord, restoreTestKey } from '../model/record.ts';
import { advanceTo, reportUnstarted, type StartError } from './report-unstarted.ts';
import { isActivePlan } from './sync-restore-test.ts';

export const tickRestoreTest = (tenant: Tenant, restoreTestId: string, at: Date, time: Clock = clock): Promise<void> =>
  retryOnConflict({ attempts: 8 }, async () => {
    for (let isDone = false; !isDone; ) isDone = await tickOnce(tenant, restoreTestId, at, time.now());
  });

/** False after it has skipped missed runs: the next due time may be due, too. */
const tickOnce = async (tenant: Tenant, restoreTestId: string, at: Date, now: Date): Promise<boolean> => {
  const plan = await get(restoreTestKey.plan(tenant, restoreTestId));
  if (!plan || !(await isActivePlan(tenant, plan))) return true;
  const decision = decideTick({ ...plan, putOff: undefined }, { at, tries: 0 }, now);
  if (decision.kind === 'run') await start(tenant, plan, decision, now);
  if (decision.kind === 'missed') await reportUnstarted(tenant, plan, { ...decision, error: missed(decision.runs) }, now);
  return decision.kind !== 'missed';
};

type Run = Extract<TickDecision, { kind: 'run' }>;

const start = async (tenant: Tenant, plan: RestoreTestRecord, { at, next }: Run, now: Date): Promise<void> => {
  const started = await tryStart(tenant, plan, at, now);
  if ('error' in started) return reportUnstarted(tenant, plan, { last: at, next, error: started.error }, now);
  const { runs, skipped, writes } = started;
  const note = auditNote(tenant, 'restore_test', plan.id, { runs: runs.map(({ id }) => id), skipped, scheduledFor: iso(at) });
  const changes = advanceTo(at, next);
  await commit([
    setPlan(plan, changes),
    ...dueTestWrites(tenant, plan, { ...plan, ...changes }),
    ...writes,
    systemAudit('scheduler', { action: 'restore_test.triggered', note, now }),
  ]);
};

/** The runs to start, or why the plan can start none. */
const tryStart = async (
  tenant: Tenant,
  plan: RestoreTestRecord,
  at: Date,
  now: Date,
): Promise<StartedRuns | { readonly error: StartError }> => {
  const begin = { trigger: 'scheduled', scheduledFor: iso(at), createdBy: { type: 'system', id: plan.id } } as const;
  try {
    const started = await startRuns(tenant, plan, begin, now);
    if (started.runs.length === 0 && !started.isUnderWay) throw nothingToTest(started.skipped);
    return started;
  } catch (caught) {
    if (!(caught instanceof ApiError)) throw caught;
    const { code, message, details = {} } = caught;
    if (code !== 'PROJECT_NOT_FOUND' && code !== 'CONFLICT') throw caught;
    return { error: { code, message, details } };
  }
};

/** The organization has no project, or none but the target. */
const nothingToTest = ([target]: readonly SkippedProject[]): ApiError =>
  target
    ? new ApiError('CONFLICT', 'The only project is the target of the test, which is never tested into itself')
    : new ApiError('PROJECT_NOT_FOUND', 'The organization has no project to test');

const missed = (runs: number): StartError => ({
  code: 'SCHEDULE_MISSED',
  message: 'No test was started within an hour of its due time; the next one starts when it is due',
  details: runs > 1 ? { runs } : {},
});
