/** Handles a due plan: starts its runs, or reports that it could not. As ticks of schedules, each due time counts once. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type Clock, clock, commit, iso, type Tenant } from '../../platform/index.ts';
import { type DueRuns, tickRecurring } from '../../recurring/index.ts';
import { type SkippedProject, type StartedRuns, startRuns } from '../api/start-runs.ts';
import { planWrites, restoreTestKind } from '../model/plan-writes.ts';
import type { RestoreTestRecord } from '../model/record.ts';
import { advanceTo, reportUnstarted, type StartError } from './report-unstarted.ts';
import { syncRestoreTest } from './sync-restore-test.ts';

export const tickRestoreTest = (
  tenant: Tenant,
  { restoreTestId, at, time = clock }: { readonly restoreTestId: string; readonly at: Date; readonly time?: Clock | undefined },
): Promise<void> =>
  tickRecurring(
    restoreTestKind,
    { tenant, id: restoreTestId, at, tries: 0 },
    {
      clock: time,
      sync: syncRestoreTest,
      run: start,
      skip: (context, decision, now) => reportUnstarted(context, { ...decision, error: missed(decision.runs) }, now),
    },
  );

const start: DueRuns<RestoreTestRecord>['run'] = async (context, { at, next }, now) => {
  const { tenant, record: plan } = context;
  const started = await tryStart(tenant, { plan, at, now });
  if ('error' in started) return reportUnstarted(context, { last: at, next, error: started.error }, now);
  const { runs, skipped, writes } = started;
  const note = auditNote(tenant, {
    type: 'restore_test',
    id: plan.id,
    details: { runs: runs.map(({ id }) => id), skipped, scheduledFor: iso(at) },
  });
  await commit([
    ...planWrites.set(tenant, plan, advanceTo(at, next)),
    ...writes,
    systemAudit('scheduler', { action: 'restore_test.triggered', note, now }),
  ]);
};

/** The runs to start, or why the plan can start none. */
const tryStart = async (
  tenant: Tenant,
  { plan, at, now }: { readonly plan: RestoreTestRecord; readonly at: Date; readonly now: Date },
): Promise<StartedRuns | { readonly error: StartError }> => {
  const begin = { trigger: 'scheduled', scheduledFor: iso(at), createdBy: { type: 'system', id: plan.id } } as const;
  try {
    const started = await startRuns(tenant, { plan, start: begin, now });
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
