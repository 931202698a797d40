/** Listens to a project and captures its changes cycle by cycle. */

import { auditDays } from '../../contract/limits.ts';
import type { FirestoreDatabase } from '../../firestore/index.ts';
import { StaleReadError } from '../../platform/index.ts';
import type { BackupDeps } from '../../stored-backup/index.ts';
import { findReadTimes } from '../base/base-backup.ts';
import { type BaseRefresh, lacksListenedCollections, refreshBase, requestBaseAtOnce } from '../base/refresh-base.ts';
import type { EarlierWriters } from '../batch/change-batch-writer.ts';
import { openEarlierBatches } from '../batch/earlier-batches.ts';
import { keyBackupOf, type OpenBatch, openBatch, withDamage } from '../batch/open-batch.ts';
import { countShareOf } from '../budget/count-allowance.ts';
import { type CountAllowance, isCheckDue } from '../coverage/check-coverage.ts';
import { ListenSession } from '../listen/listen-session.ts';
import { ObservedChanges } from '../listen/observed-changes.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import type { NextCycle } from '../model/end-cycle.ts';
import { microsOf } from '../model/micro-time.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import { cycleSeconds, isEverySecondWanted, shortenedCycleSeconds } from './capture-mode.ts';
import { commitCycle } from './commit-cycle.ts';
import { type Captured, concludeCycle } from './conclude-cycle.ts';
import { proveAgain } from './prove-again.ts';
import { countsOfToday, type ReadBudget, remainingLookups, remainingPastReads } from './read-budget.ts';

interface CaptureOptions {
  /** For one cycle only; otherwise it keeps listening. */
  readonly isSingleCycle: boolean;
  readonly budget: ReadBudget;
  readonly signal: AbortSignal;
}

/** The base backup does not exist any more, so that captured changes cannot be restored. */
export class BaseGone extends Error {}

/** The source keeps an hour, and a cycle takes minutes. */
const historyMicros = 50 * 60 * 1_000_000;

interface OpenedSession {
  readonly source: FirestoreDatabase;
  readonly session: ListenSession;
  readonly batch: OpenBatch;
}

export class CaptureSession {
  readonly #source: FirestoreDatabase;
  readonly #deps: BackupDeps;
  readonly #signal: AbortSignal;
  readonly session: ListenSession;
  #batch: OpenBatch;
  /** Billed before the current cycle and not recorded yet. */
  #unrecordedReads = 0;

  private constructor({ source, session, batch }: OpenedSession, deps: BackupDeps, signal: AbortSignal) {
    this.#source = source;
    this.#deps = deps;
    this.#signal = signal;
    this.session = session;
    this.#batch = batch;
  }

  /** Resolves when all changes up to now are received. */
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
      const opened = await source.retry(async (refresh) => {
        const batch = await openBatch(cycle, { keyBackup, deps, signal });
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
      return new CaptureSession({ source, ...opened }, deps, signal);
    } catch (error) {
      source.close();
      throw error;
    }
  }

  /** Ends and commits the cycle. Changes received from now on belong to the next one. */
  async endCycle(read: CycleContext, budget: ReadBudget): Promise<NextCycle> {
    const { tenant } = read;
    const started = this.#deps.clock.now();
    const batch = this.#batch;
    const keyBackup = await keyBackupOf(tenant, read.pitr.bases.at(-1)?.backupId);
    if (!keyBackup) throw new BaseGone();
    if (batch.keyBackup.id !== keyBackup.id) throw new StaleReadError();
    const cycle = { ...read, pitr: withDamage(read.pitr, keyBackup) };
    const refreshed = await refreshBase(cycle, this.#deps);
    const isLast = this.session.isSingleCycle || this.session.isBroken;
    const nextBatch = isLast ? undefined : await this.#openNext(cycle, refreshed, batch);
    try {
      const captured = await this.#conclude(cycle, { refreshed, budget, nextBatch });
      const linked =
        captured.lastBatch === undefined ? cycle : { ...cycle, pitr: { ...cycle.pitr, lastBatch: captured.lastBatch } };
      const listened = { source: this.#source, areAllListened: !lacksListenedCollections(refreshed, cycle.positions) };
      const provenAgain =
        captured.unproven.length === 0
          ? await proveAgain(linked, { ...listened, keyBackup, budget, deps: this.#deps, signal: this.#signal })
          : undefined;
      const now = this.#deps.clock.now();
      const everySeconds = Math.min(cycleSeconds(cycle), shortenedCycleSeconds(cycle, captured));
      const delaySeconds = Math.max(0, everySeconds - (now.getTime() - started.getTime()) / 1_000);
      const { id: batchId, path } = batch;
      const { next, opened } = await commitCycle(
        linked,
        { captured, provenAgain, batchId, path, refresh: refreshed, keyBackupId: keyBackup.id, delaySeconds, budget },
        now,
      );
      if (nextBatch) this.#continueWith(nextBatch, captured);
      if (opened.some(({ to }) => to === null)) await requestBaseAtOnce(cycle, this.#deps);
      return next;
    } catch (error) {
      await nextBatch?.batch.writer.close();
      throw error;
    } finally {
      await batch.writer.close();
    }
  }

  /**
   * Listens beside the current worker until its cycle ends. Discards the changes received so far, which that worker captures; from
   * here on no change is missed.
   */
  async startShadowing(cycle: CycleContext): Promise<void> {
    const { observed } = this.session;
    const shadow = await this.#openNext(cycle, {}, this.#batch);
    await this.session.endCycle(shadow.observed);
    this.#unrecordedReads += observed.reads;
    await this.#batch.writer.close();
    this.#batch = shadow.batch;
    this.session.observed = shadow.observed;
  }

  /** Continues from the previous worker's positions. False if the shadowed changes do not cover them, or lack a group. */
  async tryTakeOver({ pitr, positions }: CycleContext): Promise<boolean> {
    // A stream may lag behind that of the previous worker, and an idle one reports no time.
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

  /** The next cycle's batch is encrypted with the key of the base that this cycle adopts, if any. */
  async #openNext(cycle: CycleContext, { base }: Pick<BaseRefresh, 'base'>, { keyBackup }: OpenBatch): Promise<NextBatch> {
    const key = base ? await keyBackupOf(cycle.tenant, base.backupId) : keyBackup;
    if (!key) throw new BaseGone();
    const batch = await openBatch(cycle, { keyBackup: key, deps: this.#deps, signal: this.#signal });
    return { batch, observed: new ObservedChanges(batch.writer) };
  }

  async #conclude(cycle: CycleContext, { refreshed, budget, nextBatch }: Conclusion): Promise<Captured> {
    const { pitr, positions } = cycle;
    const allowance = await this.#countAllowance(cycle, budget);
    budget.reads += this.#unrecordedReads;
    this.#unrecordedReads = 0;
    const areAllListened = !lacksListenedCollections(refreshed, positions);
    const checkedAt = refreshed.changed.checkedAt ?? pitr.checkedAt;
    return concludeCycle(this.session, {
      found: refreshed.found,
      from: microsOf(pitr.capturedTo ?? ''),
      lookupsLeft: isEverySecondWanted(cycle) ? remainingLookups(pitr, budget, this.#deps.clock.now()) : undefined,
      pastReadsLeft: remainingPastReads(pitr, budget, this.#deps.clock.now()),
      absentSince: checkedAt === undefined ? undefined : microsOf(checkedAt),
      areAllListened,
      isCheckDue: (reads, to) =>
        !areAllListened ? refreshed.base !== undefined : isCheckDue({ ...pitr, ...refreshed.changed }, { reads, to, allowance }),
      findReadTimes: (since) => findReadTimes(cycle, { since, now: this.#deps.clock.now() }),
      openEarlier: (since) => this.#openEarlier(cycle, since),
      successor: nextBatch?.observed ?? 'none',
      budget,
      signal: this.#signal,
    });
  }

  async #countAllowance(cycle: CycleContext, budget: ReadBudget): Promise<CountAllowance> {
    const { tenant, pitr, project, positions } = cycle;
    const now = this.#deps.clock.now();
    const documents = positions.reduce((sum, { count = 0 }) => sum + Math.max(0, count), 0);
    const share = await countShareOf(tenant, {
      project,
      documents,
      auditDays: pitr.auditDays ?? auditDays,
      intervalSeconds: cycleSeconds(cycle),
      now,
    });
    return { ...share, spentToday: countsOfToday(pitr, now) + budget.counts };
  }

  /** Of collections that were found after the batches since then. Only while the source keeps their history, and at every second. */
  async #openEarlier(cycle: CycleContext, since: number): Promise<EarlierWriters | undefined> {
    const isKept = this.#deps.clock.now().getTime() * 1_000 - since <= historyMicros;
    if (!isKept || !isEverySecondWanted(cycle)) return undefined;
    const { keyBackup } = this.#batch;
    return openEarlierBatches(cycle, { since, keyBackup, deps: this.#deps, signal: this.#signal });
  }

  #continueWith({ batch, observed }: NextBatch, { positions }: Captured): void {
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

interface NextBatch {
  readonly batch: OpenBatch;
  readonly observed: ObservedChanges;
}

interface Conclusion {
  readonly refreshed: BaseRefresh;
  readonly budget: ReadBudget;
  readonly nextBatch: NextBatch | undefined;
}
