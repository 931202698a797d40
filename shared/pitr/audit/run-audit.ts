/** The rolling audit: each day a part of the documents is read again and compared with what was captured of them. */
import { ApiError } from '../../contract/errors.ts';
import { auditDays as defaultDays } from '../../contract/limits.ts';
import { failureOf } from '../../job/index.ts';
import {
  after,
  commit,
  create,
  emitMetric,
  get,
  isConflict,
  iso,
  log,
  retryOnConflict,
  StaleReadError,
  set,
  type Tenant,
  update,
} from '../../platform/index.ts';
import { addReads } from '../../project/index.ts';
import { type BackupDeps, backupKey, sourceReadingOf } from '../../stored-backup/index.ts';
import { dailyAllowanceOf } from '../budget/daily-allowance.ts';
import { type CycleContext, loadCycleContext } from '../model/cycle-context.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import { type Base, type CaptureAuditRecord, type PitrRecord, pitrKey } from '../model/record.ts';
import { auditedAt, decodeSlices, encodeSlices, oldestWithin, unaudited, withAudited } from '../timeline/audited-slices.ts';
import { type AuditedSliceResult, AuditPostponed, auditSlice } from './audit-slice.ts';
import { decideAuditStep } from './decide-audit-step.ts';
import { divergenceWrites, withDivergence } from './record-divergence.ts';
import { insertCorrection, writeCorrection } from './write-correction.ts';

interface AuditRun {
  readonly deps: BackupDeps;
  /** No slice is begun after this, and one that is being read ends there. */
  readonly until: Date;
  readonly signal: AbortSignal;
}

/** Longer than the timeout of its worker: a step that is leased longer has lost its worker. */
const leaseSeconds = 330;
/** After a step that could not begin, or failed: then twice as long each time, up to six hours. */
const retrySeconds = 300;
const retryMaxSeconds = 6 * 3_600;
const conflictsMax = 8;
const freshMicros = 12 * 3_600 * 1_000_000;
/** While the budget of reads leaves nothing for the audit, it is asked again so soon. */
const pausedSeconds = 6 * 3_600;

/** True if more is due: the day's share is not read yet. */
export const runAudit = async (tenant: Tenant, projectId: string, run: AuditRun): Promise<boolean> => {
  while (run.deps.clock.now() < run.until) if (!(await runStep(tenant, projectId, run))) return false;
  return true;
};

/** False if nothing is due. */
const runStep = async (tenant: Tenant, projectId: string, run: AuditRun): Promise<boolean> => {
  const { clock } = run.deps;
  const now = clock.now();
  const [cycle, known] = await Promise.all([loadCycleContext(tenant, projectId), get(pitrKey.audit(tenant, projectId))]);
  if (cycle?.pitr.status !== 'active' || (cycle.pitr.auditDueAt ?? '') > iso(now)) return false;
  if (known?.leasedUntil !== undefined && known.leasedUntil > iso(now)) return false;
  const audit = known ?? newAudit(tenant, projectId, now);
  const found = await nextStep(cycle, audit, now);
  if (!found) return false;
  const { next, baseSince, paceDays } = found;
  if ('dueAt' in next) {
    await postpone(cycle, { auditDueAt: next.dueAt, auditPaceDays: paceDays });
    return false;
  }
  const claimed: CaptureAuditRecord = {
    ...audit,
    ...next.day,
    turn: audit.turn + 1,
    readsToday: audit.dayEndsAt === next.day.dayEndsAt ? audit.readsToday : 0,
    leasedUntil: iso(after(now, leaseSeconds)),
  };
  if (!(await claim(claimed, known))) return false;
  const spent = { reads: 0 };
  try {
    const result = await readSlice(cycle, { audit: claimed, limit: next.limit, spent, run });
    return await settle(cycle, { audit: claimed, result, baseSince, spent, run });
  } catch (error) {
    run.signal.throwIfAborted();
    await recordFailure(cycle, { audit: claimed, spent, error, now: clock.now() });
    return false;
  }
};

const newAudit = (tenant: Tenant, projectId: string, now: Date): CaptureAuditRecord => ({
  ...pitrKey.audit(tenant, projectId),
  projectId,
  turn: 0,
  slices: encodeSlices(unaudited),
  dayEndsAt: iso(now),
  documentsToday: 0,
  readsToday: 0,
  documents: 0,
  reads: 0,
  differences: 0,
  lastAt: null,
});

interface PlannedStep {
  readonly next: ReturnType<typeof decideAuditStep>;
  readonly baseSince: string;
  /** Within so many days everything is read again; null while the budget allows nothing. */
  readonly paceDays: number | null;
}

/** Undefined without a base. */
const nextStep = async (cycle: CycleContext, audit: CaptureAuditRecord, now: Date): Promise<PlannedStep | undefined> => {
  const { tenant, pitr, project, positions } = cycle;
  const { backupId } = pitr.bases.at(-1) ?? {};
  const base = backupId === undefined ? undefined : await get(backupKey.backup(tenant, backupId));
  if (!base) return undefined;
  const counted = positions.reduce((sum, { count = 0 }) => sum + count, 0);
  const baseSince = sourceReadingOf(base).auditedSince ?? base.createdAt;
  const documents = Math.max(counted, 1);
  const wanted = pitr.auditDays ?? defaultDays;
  const intervalSeconds = pitr.captureIntervalSeconds;
  const allowance = await dailyAllowanceOf(tenant, { project, documents, auditDays: wanted, intervalSeconds, now });
  const paceDays = allowance ? allowance.auditDays : wanted;
  if (paceDays === null) return { next: { dueAt: iso(after(now, pausedSeconds)) }, baseSince, paceDays };
  const next = decideAuditStep({
    auditDays: paceDays,
    documents,
    baseReadAt: new Date(microsOf(baseSince) / 1_000),
    isReadAgain: isReadDaily(pitr.bases),
    nextAuditedAt: auditedAt(decodeSlices(audit.slices), audit.next),
    day: { endsAt: new Date(audit.dayEndsAt), documents: audit.documentsToday },
    now,
  });
  return { next, baseSince, paceDays };
};

/** Two bases that follow each other by more than half a day were read from the source, so that the next one will be, too. */
const isReadDaily = (bases: readonly Base[]): boolean => {
  const [last, before] = bases.slice(-2).reverse();
  if (!last || !before || last.builtFrom === 'changes' || before.builtFrom === 'changes') return false;
  return microsOf(last.readTime) - microsOf(before.readTime) > freshMicros;
};

const postpone = (
  { tenant, pitr }: CycleContext,
  changed: Required<Pick<PitrRecord, 'auditDueAt' | 'auditPaceDays'>>,
): Promise<void> => commit([set(pitrKey.pitr(tenant, pitr.projectId), changed)]);

/** Only one worker reads a slice, however often its task is delivered. */
const claim = async (claimed: CaptureAuditRecord, known: CaptureAuditRecord | undefined): Promise<boolean> => {
  const { pk, sk, ...attributes } = claimed;
  try {
    await commit([
      known
        ? set({ pk, sk }, attributes, { expected: { turn: known.turn }, onConditionFailed: () => new StaleReadError() })
        : create(claimed, () => new StaleReadError()),
    ]);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
};

interface Step {
  readonly audit: CaptureAuditRecord;
  readonly spent: { reads: number };
  readonly run: AuditRun;
}

const readSlice = async (
  first: CycleContext,
  { audit, limit, spent, run }: Step & { readonly limit: number },
): Promise<AuditedSliceResult> => {
  const { tenant, pitr } = first;
  const { deps, until, signal } = run;
  const source = deps.openSource(tenant, first.project);
  try {
    // A capture may end while the slice is planned.
    return await retryOnConflict(
      { attempts: conflictsMax, isRetryable: (error) => error instanceof StaleReadError },
      async () => {
        const cycle = await loadCycleContext(tenant, pitr.projectId);
        if (!cycle) throw new AuditPostponed('captures were disabled');
        return auditSlice(cycle, { source, from: audit.next, limit, spent, deps, until, signal });
      },
    );
  } finally {
    source.close();
  }
};

/** One transaction records the slice and, if something differs, corrects it, marks the moments and tells of it. */
const settle = async (
  cycle: CycleContext,
  { audit, result, baseSince, spent, run }: Step & { readonly result: AuditedSliceResult; readonly baseSince: string },
): Promise<boolean> => {
  const { tenant, pitr } = cycle;
  const { deps, signal } = run;
  const { moment, to, documents, differences } = result;
  const slices = decodeSlices(audit.slices);
  const range = { from: audit.next, to };
  const correction = differences.length === 0 ? undefined : await writeCorrection(cycle, { moment, differences, deps, signal });
  const found = {
    from: momentOf(Math.max(oldestWithin(slices, range), microsOf(baseSince))),
    to: moment,
    differences,
  };
  return retryOnConflict({ attempts: conflictsMax, jitterMs: 200 }, async () => {
    const now = deps.clock.now();
    const current = await loadCycleContext(tenant, pitr.projectId);
    if (current?.pitr.status !== 'active') return false;
    if (correction) refuseBuiltBase(current.pitr, moment);
    const inserted = correction && (await insertCorrection(tenant, current.pitr, correction));
    const { status, lastBatch, keptFrom, turn } = current.pitr;
    const changed: Partial<PitrRecord> = {
      auditDueAt: iso(now),
      ...(inserted && { lastBatch: inserted.lastBatch, diverged: withDivergence(current.pitr, found), mustReadBase: true }),
    };
    await commit([
      set(pitrKey.pitr(tenant, pitr.projectId), changed, {
        expected: { status, ...(inserted && { lastBatch, keptFrom, turn }) },
        onConditionFailed: () => new StaleReadError(),
      }),
      endStep(
        tenant,
        { audit, spent },
        {
          set: {
            next: to,
            slices: encodeSlices(withAudited(slices, { ...range, at: microsOf(moment) })),
            lastAt: iso(now),
            failures: undefined,
            trouble: undefined,
          },
          add: { documentsToday: documents, documents, differences: differences.length },
        },
      ),
      ...addReads(tenant, { projectId: pitr.projectId, reads: { audit: spent.reads }, now }),
      ...(inserted ? [...inserted.writes, ...divergenceWrites(current, found, now)] : []),
    ]);
    emitMetric('audit step committed', { DocumentsAudited: documents, DocumentsDiverged: differences.length });
    return true;
  });
};

/** A base that was built at that moment or later has what was captured, and a correction before it would not count. */
const refuseBuiltBase = ({ bases }: PitrRecord, moment: string): void => {
  const { builtFrom, readTime, backupId } = bases.at(-1) ?? {};
  if (builtFrom === 'changes' && readTime !== undefined && microsOf(readTime) >= microsOf(moment))
    throw new AuditPostponed(`the base backup ${backupId} was built from what differs; it is compared after the next capture`);
};

/** Another run has begun the same step: its result counts. */
class StepSuperseded extends ApiError {
  constructor() {
    super('JOB_IN_PROGRESS', 'The step was begun again, or has ended');
  }
}

const endStep = (
  tenant: Tenant,
  { audit: { projectId, turn, leasedUntil }, spent: { reads } }: Pick<Step, 'audit' | 'spent'>,
  changes: { readonly set: Partial<CaptureAuditRecord>; readonly add?: Readonly<Record<string, number>> },
) =>
  update(pitrKey.audit(tenant, projectId), {
    set: { ...changes.set, leasedUntil: undefined },
    add: { ...changes.add, reads, readsToday: reads },
    // Ended once: a lost answer of the table is no second step.
    expected: { turn, leasedUntil },
    onConditionFailed: () => new StepSuperseded(),
  });

const recordFailure = async (
  { tenant, pitr: { projectId } }: CycleContext,
  { audit, spent, error, now }: Omit<Step, 'run'> & { readonly error: unknown; readonly now: Date },
): Promise<void> => {
  if (error instanceof StepSuperseded) return;
  const isPostponed = error instanceof AuditPostponed;
  const failures = (audit.failures ?? 0) + 1;
  const trouble = isPostponed ? error.message : (failureOf(error)?.message ?? 'an internal error');
  const delaySeconds = isPostponed ? retrySeconds : Math.min(retrySeconds * 2 ** (failures - 1), retryMaxSeconds);
  if (!isPostponed) log.warn('audit step failed; it will be retried', { projectId, error });
  try {
    await commit([
      endStep(tenant, { audit, spent }, { set: { failures, trouble } }),
      set(pitrKey.pitr(tenant, projectId), { auditDueAt: iso(after(now, delaySeconds)) }),
      ...addReads(tenant, { projectId, reads: { audit: spent.reads }, now }),
    ]);
  } catch (conflict) {
    if (!(conflict instanceof StepSuperseded)) throw conflict;
  }
};
