/** Writes the users that the journal names as the backup has them; an undo deletes those it lacks. */
import { JobFailure } from '../../job/index.ts';
import { type AuthUser, importAuthUsers, importedAtOnceMax, removeAuthUsers, type Toolkit } from '../../project/index.ts';
import type { Failure } from '../model/record.ts';
import { noWrites } from '../model/shard-totals.ts';
import { countRestoredUsers } from '../plan/match-restored-user.ts';
import { type JoinedUser, joinJournalUsers, openTargetUsers } from '../read/archived-users.ts';
import { withShardHeartbeat } from '../run/shard-run.ts';
import { findUserConflicts } from './find-user-conflicts.ts';
import { HashConfigSource } from './hash-config-source.ts';
import { reportWrites, type WriteClaim, type WriteProgress, type WriteRun } from './write-progress.ts';

/** Accounts are small, but have no documented limit. */
const batchBytesMax = 4 << 20;

/** True if all are done; false if another run must continue. Idempotent. */
export const writeUsers = (run: WriteRun, claim: WriteClaim): Promise<boolean> =>
  withShardHeartbeat(run, async () => {
    try {
      return await new UserWriter(run, claim).all();
    } catch (error) {
      throw run.control.explain(error) ?? error;
    }
  });

/** A request in flight when the restore stops gets a grace period: aborted, it might be applied after the target is released. */
const graceAfter = (stop: AbortSignal): AbortSignal => {
  const cut = new AbortController();
  const begin = () => setTimeout(() => cut.abort(), graceMs).unref();
  stop.addEventListener('abort', begin, { once: true });
  return cut.signal;
};
const graceMs = 5_000;

const nothing = { ...noWrites, failures: [] };

class UserWriter {
  readonly #run: WriteRun;
  readonly #claim: WriteClaim;
  readonly #target: Toolkit;
  readonly #hash: HashConfigSource;
  readonly #signal: AbortSignal;
  #put: AuthUser[] = [];
  #remove: string[] = [];
  #bytes = 0;

  constructor(run: WriteRun, claim: WriteClaim) {
    this.#run = run;
    this.#claim = claim;
    this.#target = openTargetUsers(run.deps, run.context);
    this.#hash = new HashConfigSource(run);
    this.#signal = graceAfter(run.control.storing);
  }

  async all(): Promise<boolean> {
    const { journal, open, control } = this.#run;
    const { writtenTo } = this.#claim.shard;
    const after = writtenTo === undefined ? undefined : (JSON.parse(writtenTo) as string);
    let last: string | undefined;
    for await (const match of joinJournalUsers(journal.archive, open.archive, after)) {
      this.#take(match);
      last = match.id;
      if (this.#put.length + this.#remove.length < importedAtOnceMax && this.#bytes < batchBytesMax) continue;
      await this.#send({ writtenTo: last, isClean: control.isYielding });
      if (control.isYielding) return false;
    }
    await this.#send({ ...(last !== undefined && { writtenTo: last }), isClean: true, isWritten: true });
    return true;
  }

  #take({ id, json }: JoinedUser): void {
    if (json) this.#put.push({ id, json });
    // Whatever the journal says, only an undo deletes users.
    else if (this.#run.restore.undoOf === null)
      throw new JobFailure('INTERNAL_ERROR', 'The plan names a user that the backup does not have');
    else this.#remove.push(id);
    this.#bytes += json?.length ?? 0;
  }

  /** Sends the batch and reports it. */
  async #send(more: Partial<WriteProgress>): Promise<void> {
    const { control } = this.#run;
    const [put, removed] = [await this.#sendUsers(), await this.#sendRemovals()];
    control.check();
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

  async #sendUsers(): Promise<Pick<WriteProgress, 'written' | 'raced' | 'failures'>> {
    if (this.#put.length === 0) return nothing;
    const { control, open, restore } = this.#run;
    const signal = this.#signal;
    const conflicts = await findUserConflicts(this.#put, { toolkit: this.#target, backup: open.archive, signal });
    const users = this.#put.filter(({ id }) => !conflicts.has(id));
    const overwrite = restore.mergeMode !== 'skip_existing';
    // The hash configuration is needed only for users with a password.
    const hash = users.some(({ json }) => json.includes('"passwordHash"')) ? await this.#hash.config() : undefined;
    control.check();
    const refused = await importAuthUsers(this.#target, users, { hash, overwrite, signal });
    const existing = users.filter(({ id }) => refused.get(id)?.code === 'exists');
    const own = existing.length === 0 ? 0 : await countRestoredUsers(this.#target, existing, signal);
    const failures: readonly Failure[] = [
      ...[...conflicts].map(([id, message]) => ({ path: `accounts/${id}`, code: 'ALREADY_EXISTS', message })),
      ...[...refused]
        .filter(([, { code }]) => code !== 'exists')
        .map(([id, { code, message }]) => ({ path: `accounts/${id}`, code, message })),
    ];
    return { written: users.length - refused.size + own, raced: existing.length - own, failures };
  }

  async #sendRemovals(): Promise<Pick<WriteProgress, 'deleted' | 'failures'>> {
    const ids = this.#remove;
    if (ids.length === 0) return nothing;
    this.#run.control.check();
    const notRemoved = await removeAuthUsers(this.#target, ids, this.#signal);
    const failures = [...notRemoved].map(([id, message]) => ({ path: `accounts/${id}`, code: 'FAILED_PRECONDITION', message }));
    return { deleted: ids.length - notRemoved.size, failures };
  }
}
