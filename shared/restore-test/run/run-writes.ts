/** Writes to a run that has not ended. Each fails if the run has moved on since it was read. */
import { differencesShownMax } from '../../contract/limits.ts';
import type { RestoreTestPhase } from '../../contract/models/restore-test.ts';
import type { Reason } from '../../job/index.ts';
import { commit, iso, omitUndefined, type Tenant, update, type Write } from '../../platform/index.ts';
import { type RunRecord, restoreTestKey } from '../model/record.ts';
import type { RunDeps } from './run-deps.ts';

/** What every phase of a run works with. */
export interface RunContext {
  readonly tenant: Tenant;
  readonly run: RunRecord;
  readonly deps: RunDeps;
  /** When the step must have stored what it did. */
  readonly deadline: Date;
}

/** `again`: the next step continues at once. `wait`: something else must happen first. */
export type RunProgress = 'again' | 'wait' | 'done';

export const setRun = (
  { tenant, run }: Pick<RunContext, 'tenant' | 'run'>,
  attributes: Partial<RunRecord>,
  expected: Partial<RunRecord> = {},
): Write =>
  update(restoreTestKey.run(tenant, run.id), {
    set: attributes,
    expected: { status: run.status, phase: run.phase, attempt: run.attempt, ...expected },
  });

/** The attributes of a run that enters a phase now, and leaves its current one. */
export const phaseAttributes = (run: RunRecord, phase: RestoreTestPhase, now: Date): Partial<RunRecord> => ({
  phase,
  begun: { ...run.begun, [phase]: run.begun[phase] ?? iso(now) },
  endedPhases: { ...run.endedPhases, [run.phase]: iso(now) },
});

export const enterPhase = async (
  context: RunContext,
  {
    phase,
    attributes = {},
    writes = [],
  }: {
    readonly phase: RestoreTestPhase;
    readonly attributes?: Partial<RunRecord> | undefined;
    readonly writes?: readonly Write[] | undefined;
  },
): Promise<RunProgress> => {
  const now = context.deps.clock.now();
  await commit([setRun(context, { ...attributes, ...phaseAttributes(context.run, phase, now) }), ...writes]);
  return 'again';
};

/** The failure of a run that was asked to end. */
export const cancelledFailure = { code: 'CANCELLED', message: 'The test was cancelled' } as const;

/** The first failure counts. What the test wrote is removed before the run ends. */
export const concludeWith = (context: RunContext, failure: Reason, attributes: Partial<RunRecord> = {}): Promise<RunProgress> => {
  const { run } = context;
  const next = run.restoreJobId !== null && run.phase !== 'removing' ? 'removing' : 'recording';
  return enterPhase(context, { phase: next, attributes: { ...attributes, failure: run.failure ?? omitUndefined(failure) } });
};

/** Collects differences: all are counted, the first are kept. */
export class DifferenceList {
  total: number;
  readonly items: RunRecord['differenceItems'];

  constructor({ differenceTotal, differenceItems }: Pick<RunRecord, 'differenceTotal' | 'differenceItems'>) {
    this.total = differenceTotal;
    this.items = [...differenceItems];
  }

  add(difference: RunRecord['differenceItems'][number]): void {
    this.total += 1;
    if (this.items.length < differencesShownMax) this.items.push(difference);
  }

  get attributes(): Pick<RunRecord, 'differenceTotal' | 'differenceItems'> {
    return { differenceTotal: this.total, differenceItems: this.items };
  }
}
