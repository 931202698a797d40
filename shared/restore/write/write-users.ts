/** Writes the users that the journal names: as the backup has them or, where it says that there was none, by removing them. */
import { Heartbeat, JobFailure } from '../../job/index.ts';
import { type AuthUser, importAuthUsers, importedAtOnceMax, removeAuthUsers, type Toolkit } from '../../project/index.ts';
import { ownAmong } from '../check/match-restored-user.ts';
import type { Failure } from '../model/record.ts';
import { lookAt } from '../model/running-restore.ts';
import { targetUsers, type UserMatch, usersAlong } from '../read/archived-users.ts';
import { HashSource } from './hash-config-source.ts';
import { clashesOf } from './user-conflicts.ts';
import { type Progress, reportWrites, type WriteClaim, type WriteRun } from './write-progress.ts';

/** Accounts are small, but nothing says how small. */
const batchBytesMax = 4 << 20;

/** True if all are done; false if another run is to go on. Users who are replaced twice are as they are after once. */
export const writeUsers = async (run: WriteRun, claim: WriteClaim): Promise<boolean> => {
  const { halt, engine, parties, restore } = run;
  const checkRunning = () => lookAt(parties.tenant, restore);
  const pulse = new Heartbeat({
    checkRunning,
    total: 0,
    control: halt,
    clock: engine.clock,
    unreported: () => 0,
    report: async () => undefined,
  });
  try {
    return await new UserWriting(run, claim).all();
  } catch (error) {
    throw halt.explain(error) ?? error;
  } finally {
    await pulse.stop();
  }
};

/** What is under way when the restore is stopped is answered, if it is soon: cut off, it might be done after the target is free. */
const graceAfter = (stop: AbortSignal): AbortSignal => {
  const cut = new AbortController();
  const begin = () => setTimeout(() => cut.abort(), graceMs).unref();
  stop.addEventListener('abort', begin, { once: true });
  return cut.signal;
};
const graceMs = 5_000;

const nothing = { written: 0, deleted: 0, raced: 0, failed: 0, failures: [] } as const;

class UserWriting {
  readonly #run: WriteRun;
  readonly #claim: WriteClaim;
  readonly #target: Toolkit;
  readonly #hash: HashSource;
  readonly #signal: AbortSignal;
  #put: AuthUser[] = [];
  #remove: string[] = [];
  #bytes = 0;

  constructor(run: WriteRun, claim: WriteClaim) {
    this.#run = run;
    this.#claim = claim;
    this.#target = targetUsers(run);
    this.#hash = new HashSource(run);
    this.#signal = graceAfter(run.halt.storing);
  }

  async all(): Promise<boolean> {
    const { journal, open, halt } = this.#run;
    const { writtenTo } = this.#claim.shard;
    const after = writtenTo === undefined ? undefined : (JSON.parse(writtenTo) as string);
    let last: string | undefined;
    for await (const match of usersAlong(journal.archive, open.archive, after)) {
      this.#take(match);
      last = match.id;
      if (this.#put.length + this.#remove.length < importedAtOnceMax && this.#bytes < batchBytesMax) continue;
      await this.#send({ writtenTo: last, isClean: halt.isYielding });
      if (halt.isYielding) return false;
    }
    await this.#send({ ...(last !== undefined && { writtenTo: last }), isClean: true, isWritten: true });
    return true;
  }

  #take({ id, json }: UserMatch): void {
    if (json) this.#put.push({ id, json });
    // Whatever a journal says, only a restore that takes another one back removes users.
    else if (this.#run.restore.undoOf === null)
      throw new JobFailure('INTERNAL_ERROR', 'The plan names a user that the backup does not have');
    else this.#remove.push(id);
    this.#bytes += json?.length ?? 0;
  }

  /** All that was taken, and tells of it. */
  async #send(more: Partial<Progress>): Promise<void> {
    const { halt } = this.#run;
    const [put, removed] = [await this.#sendUsers(), await this.#sendRemovals()];
    halt.check();
    await reportWrites(this.#run, this.#claim, {
      written: put.written,
      deleted: removed.deleted,
      raced: put.raced,
      failed: put.failures.length + removed.failures.length,
      failures: [...put.failures, ...removed.failures],
      ...more,
    });
    [this.#put, this.#remove, this.#bytes] = [[], [], 0];
  }

  async #sendUsers(): Promise<Pick<Progress, 'written' | 'raced' | 'failures'>> {
    if (this.#put.length === 0) return nothing;
    const { halt, open, restore } = this.#run;
    const signal = this.#signal;
    const clashes = await clashesOf(this.#put, { toolkit: this.#target, backup: open.archive, signal });
    const users = this.#put.filter(({ id }) => !clashes.has(id));
    const overwrite = restore.mergeMode !== 'skip_existing';
    // Who has no password does not have to wait for the project that it was hashed in.
    const hash = users.some(({ json }) => json.includes('"passwordHash"')) ? await this.#hash.config() : undefined;
    halt.check();
    const refused = await importAuthUsers(this.#target, users, { hash, overwrite, signal });
    const there = users.filter(({ id }) => refused.get(id)?.code === 'exists');
    const own = there.length === 0 ? 0 : await ownAmong(this.#target, there, signal);
    const failures: readonly Failure[] = [
      ...[...clashes].map(([id, message]) => ({ path: `accounts/${id}`, code: 'ALREADY_EXISTS', message })),
      ...[...refused]
        .filter(([, { code }]) => code !== 'exists')
        .map(([id, { code, message }]) => ({ path: `accounts/${id}`, code, message })),
    ];
    return { written: users.length - refused.size + own, raced: there.length - own, failures };
  }

  async #sendRemovals(): Promise<Pick<Progress, 'deleted' | 'failures'>> {
    const ids = this.#remove;
    if (ids.length === 0) return nothing;
    this.#run.halt.check();
    const left = await removeAuthUsers(this.#target, ids, this.#signal);
    const failures = [...left].map(([id, message]) => ({ path: `accounts/${id}`, code: 'FAILED_PRECONDITION', message }));
    return { deleted: ids.length - left.size, failures };
  }
}
