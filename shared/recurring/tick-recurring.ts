import { type Clock, retryOnConflict, type Tenant } from '../platform/index.ts';
import { decideTick, type Tick, type TickDecision } from './decide-tick.ts';
import type { RecurringKind, RecurringRecord } from './record.ts';
import { type ActiveContext, isActive, isStaleContext, loadContext } from './recurring-context.ts';

type Decided<K extends TickDecision['kind']> = Extract<TickDecision, { kind: K }>;

/** What a kind does when a run is due. */
export interface DueRuns<R extends RecurringRecord> {
  readonly clock: Clock;
  /** Its transaction advances `nextRunAt` from the value that was read. */
  run(context: ActiveContext<R>, due: Decided<'run'> & Pick<Tick, 'tries'>, now: Date): Promise<void>;
  /** Its transaction reports the missed runs and skips them. */
  skip(context: ActiveContext<R>, missed: Decided<'missed'>, now: Date): Promise<void>;
  /** Called for a record that turns out to be inactive. */
  sync(tenant: Tenant, id: string): Promise<void>;
}

interface ReceivedTick extends Tick {
  readonly tenant: Tenant;
  readonly id: string;
}

/** Handles each due time once, however often its tick is delivered. */
export const tickRecurring = <R extends RecurringRecord>(
  kind: RecurringKind<R>,
  received: ReceivedTick,
  runs: DueRuns<R>,
): Promise<void> =>
  // The runs of a night begin together, and are admitted one after the other.
  retryOnConflict({ attempts: 20, jitterMs: 50, jitterMaxMs: 1_000, isRetryable: isStaleContext }, async () => {
    for (let isDone = false; !isDone; ) isDone = await tickOnce(kind, received, runs);
  });

/** False after it has skipped missed runs: the next due time may be due, too. */
const tickOnce = async <R extends RecurringRecord>(
  kind: RecurringKind<R>,
  { tenant, id, at, tries }: ReceivedTick,
  runs: DueRuns<R>,
): Promise<boolean> => {
  const context = await loadContext(kind, tenant, id);
  if (!context) return true;
  if (!isActive(context) || context.record.nextRunAt === null) {
    await runs.sync(tenant, id);
    return true;
  }
  const now = runs.clock.now();
  const decision = decideTick(context.record, { at, tries }, now);
  if (decision.kind === 'run') await runs.run(context, { ...decision, tries }, now);
  if (decision.kind === 'missed') await runs.skip(context, decision, now);
  return decision.kind !== 'missed';
};
