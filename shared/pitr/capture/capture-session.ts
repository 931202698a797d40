/** Listens to a project, and captures what it hears turn by turn. */
import type { BackupDeps } from '../../backup/index.ts';
import type { FirestoreDatabase } from '../../firestore/index.ts';
import { StaleReadError } from '../../platform/index.ts';
import { type BaseRefresh, lacksListenedCollections, refreshBase } from '../base/refresh-base.ts';
import { keyBackupOf, type OpenBatch, openBatch, withDamage } from '../batch/open-batch.ts';
import { ListenSession } from '../listen/listen-session.ts';
import { ObservedChanges } from '../listen/observed-changes.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import type { NextCycle } from '../model/cycle-end.ts';
import { microsOf } from '../model/micro-time.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import { isCheckDue } from '../prove/check-coverage.ts';
import { cycleSeconds, shortenedCycleSeconds } from './capture-mode.ts';
import { commitCycle } from './commit-cycle.ts';
import { type Captured, concludeCycle } from './conclude-cycle.ts';
import { type ReadBudget, remainingLookups } from './read-budget.ts';

export interface CaptureOptions {
  /** Whether it is for one turn; else it hears on, turn after turn. */
  readonly isSingleCycle: boolean;
  readonly budget: ReadBudget;
  readonly signal: AbortSignal;
}

/** Without its base, what is captured is worth nothing. */
export class BaseGone extends Error {}

export class CaptureSession {
  readonly #source: FirestoreDatabase;
  readonly #deps: BackupDeps;
  readonly #signal: AbortSignal;
  readonly session: ListenSession;
  #batch: OpenBatch;
  /** What was billed before the turn under way, and is not on the record. */
  #owedReads = 0;

  private constructor(
    source: FirestoreDatabase,
    deps: BackupDeps,
    signal: AbortSignal,
    begun: { session: ListenSession; batch: OpenBatch },
  ) {
    this.#source = source;
    this.#deps = deps;
    this.#signal = signal;
    this.session = begun.session;
    this.#batch = begun.batch;
  }

  /** Resolves when everything up to now has been heard. */
  static async open(
    cycle: CycleContext,
    { isSingleCycle, budget, signal }: CaptureOptions,
    deps: BackupDeps,
  ): Promise<CaptureSession> {
    const { tenant, pitr, project, positions } = cycle;
    const keyBackup = await keyBackupOf(tenant, pitr.bases.at(-1)?.backupId);
    if (!keyBackup) throw new BaseGone();
    const source = deps.openSource(tenant, project);
    try {
      const begun = await source.anew(async (refresh) => {
        const batch = await openBatch(cycle, keyBackup, deps, signal);
        const { writer } = batch;
        try {
          const spent = (reads: number): void => {
            budget.reads += reads;
          };
          return {
            batch,
            session: await ListenSession.open(source, { positions, writer, isSingleCycle, refresh, signal }, spent),
          };
        } catch (error) {
          await writer.close();
          throw error;
        }
      }, signal);
      return new CaptureSession(source, deps, signal, begun);
    } catch (error) {
      source.close();
      throw error;
    }
  }

  /** Ends the turn of the cycle with all that was heard: what is heard from now on is the next one's. */
  async endCycle(read: CycleContext, budget: ReadBudget): Promise<NextCycle> {
    const { tenant } = read;
    const begun = this.#deps.clock.now();
    const batch = this.#batch;
    const keyBackup = await keyBackupOf(tenant, read.pitr.bases.at(-1)?.backupId);
    if (!keyBackup) throw new BaseGone();
    if (batch.keyBackup.id !== keyBackup.id) throw new StaleReadError();
    const cycle = { ...read, pitr: withDamage(read.pitr, keyBackup) };
    const refreshed = await refreshBase(cycle, this.#deps);
    const following =
      this.session.isSingleCycle || this.session.isBroken ? undefined : await this.#begin(cycle, refreshed, batch);
    try {
      const captured = await this.#conclude(cycle, { refreshed, budget, following });
      const now = this.#deps.clock.now();
      const everySeconds = Math.min(cycleSeconds(cycle), shortenedCycleSeconds(cycle, captured));
      const delaySeconds = Math.max(0, everySeconds - (now.getTime() - begun.getTime()) / 1_000);
      const { id: batchId, path } = batch;
      const next = await commitCycle(
        cycle,
        { captured, batchId, path, refresh: refreshed, keyBackupId: keyBackup.id, delaySeconds, budget },
        now,
      );
      if (following) this.#goOn(following, captured);
      return next;
    } catch (error) {
      await following?.batch.writer.close();
      throw error;
    } finally {
      await batch.writer.close();
    }
  }

  /**
   * Forgets what was heard so far: somebody else has heard it, too, and goes on until the turn is over. From then on nothing is
   * missed, whatever comes and goes.
   */
  async startShadowing(cycle: CycleContext): Promise<void> {
    const { observed } = this.session;
    const joined = await this.#begin(cycle, {}, this.#batch);
    await this.session.endCycle(joined.observed);
    this.#owedReads += observed.reads;
    await this.#batch.writer.close();
    this.#batch = joined.batch;
    this.session.observed = joined.observed;
  }

  /** Goes on from where somebody else has left off. False if what was heard does not reach from before that to behind it, or is not all. */
  async tryTakeOver({ pitr, positions }: CycleContext): Promise<boolean> {
    // A stream may be behind the other's, and a quiet one says nothing: what is broken off before it gets there tells less than is known.
    await this.session.requestTime().catch(() => undefined);
    const { observed, isBroken } = this.session;
    const { groups } = observed;
    const isAll =
      positions.length === groups.size && positions.every(({ collectionId, to }) => groups.get(collectionId)?.wasHeardAt(to));
    if (isBroken || !isAll || this.#batch.keyBackup.id !== pitr.bases.at(-1)?.backupId) return false;
    this.#adopt(observed, positions);
    observed.skipUpTo(microsOf(pitr.capturedTo ?? ''));
    return true;
  }

  async close(): Promise<void> {
    this.session.close();
    await this.#batch.writer.close();
    this.#source.close();
  }

  /** The next turn's batch is sealed under the key of the base that this turn takes over. */
  async #begin(cycle: CycleContext, { base }: Pick<BaseRefresh, 'base'>, { keyBackup }: OpenBatch): Promise<Following> {
    const key = base ? await keyBackupOf(cycle.tenant, base.backupId) : keyBackup;
    if (!key) throw new BaseGone();
    const batch = await openBatch(cycle, key, this.#deps, this.#signal);
    return { batch, observed: new ObservedChanges(batch.writer) };
  }

  #conclude(cycle: CycleContext, { refreshed, budget, following }: Ending): Promise<Captured> {
    const { pitr, positions } = cycle;
    budget.reads += this.#owedReads;
    this.#owedReads = 0;
    return concludeCycle(this.session, {
      found: refreshed.found,
      from: microsOf(pitr.capturedTo ?? ''),
      lookupsLeft: pitr.precision === 'second' ? remainingLookups(pitr, budget, this.#deps.clock.now()) : undefined,
      isCheckDue: (reads, to) =>
        lacksListenedCollections(refreshed, positions)
          ? refreshed.base !== undefined
          : isCheckDue({ ...pitr, ...refreshed.changed }, reads, to),
      following: following?.observed ?? 'none',
      ...{ budget, signal: this.#signal },
    });
  }

  #goOn({ batch, observed }: Following, { positions }: Captured): void {
    this.#batch = batch;
    this.session.observed = observed;
    this.#adopt(observed, positions);
  }

  #adopt({ groups }: ObservedChanges, positions: readonly ResumePosition[]): void {
    for (const position of positions) {
      const group = groups.get(position.collectionId);
      if (group) group.position = position;
    }
  }
}

interface Following {
  readonly batch: OpenBatch;
  readonly observed: ObservedChanges;
}

interface Ending {
  readonly refreshed: BaseRefresh;
  readonly budget: ReadBudget;
  readonly following: Following | undefined;
}
