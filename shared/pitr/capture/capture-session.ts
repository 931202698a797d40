/** Listens to a project, and captures what it hears turn by turn. */
import type { BackupDeps } from '../../backup/index.ts';
import type { FirestoreDatabase } from '../../firestore/index.ts';
import { StaleReadError } from '../../platform/index.ts';
import { isLookedFor, type Refresh, refresh } from '../base/refresh-base.ts';
import { type BatchBegun, beginBatch, keyBackupOf, withDamage } from '../batch/open-batch.ts';
import { Session } from '../listen/listen-session.ts';
import { ObservedChanges } from '../listen/observed-changes.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import type { Next } from '../model/cycle-end.ts';
import { microsOf } from '../model/micro-time.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import { isCheckDue } from '../prove/check-coverage.ts';
import { everySecondsOf, soonerSeconds } from './capture-mode.ts';
import { commitCycle } from './commit-cycle.ts';
import { type Captured, concludeCycle } from './conclude-cycle.ts';
import { type ReadBudget, remainingLookups } from './read-budget.ts';

export interface CaptureOptions {
  /** Whether it is for one turn; else it hears on, turn after turn. */
  readonly isOnce: boolean;
  readonly spending: ReadBudget;
  readonly signal: AbortSignal;
}

/** Without its base, what is captured is worth nothing. */
export class BaseGone extends Error {}

export class Capturing {
  readonly #source: FirestoreDatabase;
  readonly #engine: BackupDeps;
  readonly #signal: AbortSignal;
  readonly session: Session;
  #batch: BatchBegun;
  /** What was billed before the turn under way, and is not on the record. */
  #owedReads = 0;

  private constructor(
    source: FirestoreDatabase,
    engine: BackupDeps,
    signal: AbortSignal,
    begun: { session: Session; batch: BatchBegun },
  ) {
    this.#source = source;
    this.#engine = engine;
    this.#signal = signal;
    this.session = begun.session;
    this.#batch = begun.batch;
  }

  /** Resolves when everything up to now has been heard. */
  static async open(scene: CycleContext, { isOnce, spending, signal }: CaptureOptions, engine: BackupDeps): Promise<Capturing> {
    const { tenant, pitr, project, standings } = scene;
    const keyBackup = await keyBackupOf(tenant, pitr.bases.at(-1)?.backupId);
    if (!keyBackup) throw new BaseGone();
    const source = engine.openSource(tenant, project);
    try {
      const begun = await source.retry(async (refresh) => {
        const batch = await beginBatch(scene, keyBackup, engine, signal);
        const { writer } = batch;
        try {
          const spent = (reads: number): void => {
            spending.reads += reads;
          };
          return { batch, session: await Session.open(source, { standings, writer, isOnce, refresh, signal }, spent) };
        } catch (error) {
          await writer.close();
          throw error;
        }
      }, signal);
      return new Capturing(source, engine, signal, begun);
    } catch (error) {
      source.close();
      throw error;
    }
  }

  /** Ends the turn of the scene with all that was heard: what is heard from now on is the next one's. */
  async endTurn(read: CycleContext, spending: ReadBudget): Promise<Next> {
    const { tenant } = read;
    const begun = this.#engine.clock.now();
    const batch = this.#batch;
    const keyBackup = await keyBackupOf(tenant, read.pitr.bases.at(-1)?.backupId);
    if (!keyBackup) throw new BaseGone();
    if (batch.keyBackup.id !== keyBackup.id) throw new StaleReadError();
    const scene = { ...read, pitr: withDamage(read.pitr, keyBackup) };
    const refreshed = await refresh(scene, this.#engine);
    const following = this.session.isOnce || this.session.isBroken ? undefined : await this.#begin(scene, refreshed, batch);
    try {
      const captured = await this.#conclude(scene, { refreshed, spending, following });
      const now = this.#engine.clock.now();
      const everySeconds = Math.min(everySecondsOf(scene), soonerSeconds(scene, captured));
      const delaySeconds = Math.max(0, everySeconds - (now.getTime() - begun.getTime()) / 1_000);
      const { id: batchId, path } = batch;
      const next = await commitCycle(
        scene,
        { captured, batchId, path, refresh: refreshed, keyBackupId: keyBackup.id, delaySeconds, spending },
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
  async startShadowing(scene: CycleContext): Promise<void> {
    const { gathering } = this.session;
    const joined = await this.#begin(scene, {}, this.#batch);
    await this.session.turnOver(joined.gathering);
    this.#owedReads += gathering.reads;
    await this.#batch.writer.close();
    this.#batch = joined.batch;
    this.session.gathering = joined.gathering;
  }

  /** Goes on from where somebody else has left off. False if what was heard does not reach from before that to behind it, or is not all. */
  async tryTakeOver({ pitr, standings }: CycleContext): Promise<boolean> {
    // A stream may be behind the other's, and a quiet one says nothing: what is broken off before it gets there tells less than is known.
    await this.session.ask().catch(() => undefined);
    const { gathering, isBroken } = this.session;
    const { groups } = gathering;
    const isAll =
      standings.length === groups.size && standings.every(({ collectionId, to }) => groups.get(collectionId)?.wasHeardAt(to));
    if (isBroken || !isAll || this.#batch.keyBackup.id !== pitr.bases.at(-1)?.backupId) return false;
    this.#adopt(gathering, standings);
    gathering.skipUpTo(microsOf(pitr.capturedTo ?? ''));
    return true;
  }

  async close(): Promise<void> {
    this.session.close();
    await this.#batch.writer.close();
    this.#source.close();
  }

  /** The next turn's batch is sealed under the key of the base that this turn takes over. */
  async #begin(scene: CycleContext, { base }: Pick<Refresh, 'base'>, { keyBackup }: BatchBegun): Promise<Following> {
    const key = base ? await keyBackupOf(scene.tenant, base.backupId) : keyBackup;
    if (!key) throw new BaseGone();
    const batch = await beginBatch(scene, key, this.#engine, this.#signal);
    return { batch, gathering: new ObservedChanges(batch.writer) };
  }

  #conclude(scene: CycleContext, { refreshed, spending, following }: Ending): Promise<Captured> {
    const { pitr, standings } = scene;
    spending.reads += this.#owedReads;
    this.#owedReads = 0;
    return concludeCycle(this.session, {
      found: refreshed.found,
      from: microsOf(pitr.capturedTo ?? ''),
      lookupsLeft: pitr.precision === 'second' ? remainingLookups(pitr, spending, this.#engine.clock.now()) : undefined,
      isCheckDue: (reads, to) =>
        isLookedFor(refreshed, standings)
          ? refreshed.base !== undefined
          : isCheckDue({ ...pitr, ...refreshed.changed }, reads, to),
      following: following?.gathering ?? 'nobody',
      ...{ spending, signal: this.#signal },
    });
  }

  #goOn({ batch, gathering }: Following, { standings }: Captured): void {
    this.#batch = batch;
    this.session.gathering = gathering;
    this.#adopt(gathering, standings);
  }

  #adopt({ groups }: ObservedChanges, standings: readonly ResumePosition[]): void {
    for (const standing of standings) {
      const group = groups.get(standing.collectionId);
      if (group) group.standing = standing;
    }
  }
}

interface Following {
  readonly batch: BatchBegun;
  readonly gathering: ObservedChanges;
}

interface Ending {
  readonly refreshed: Refresh;
  readonly spending: ReadBudget;
  readonly following: Following | undefined;
}
