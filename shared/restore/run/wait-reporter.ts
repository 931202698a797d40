import { outageFailure, WaitTracker, type WatchedCalls, waitEnds } from '../../job/index.ts';
import { type Clock, commit } from '../../platform/index.ts';
import type { RestoreRecord } from '../model/record.ts';
import type { RestoreContext } from '../model/restore-context.ts';
import { restorePatience } from '../model/restore-patience.ts';
import { updateRunning } from '../model/running-restore.ts';
import { waitWrites } from './wait-writes.ts';

interface WaitSources extends WatchedCalls {
  readonly context: RestoreContext;
  readonly clock: Clock;
}

/** Shows on the record that a run waits, and removes it once the run makes progress. For every heartbeat. */
export class WaitReporter {
  readonly #sources: WaitSources;
  readonly #tracker: WaitTracker;

  constructor(sources: WaitSources) {
    this.#sources = sources;
    this.#tracker = new WaitTracker(sources);
  }

  /** `restore` is the record as just read. Throws a JobFailure if it has waited for too long. */
  async observe(restore: RestoreRecord): Promise<void> {
    const { context, clock } = this.#sources;
    const now = clock.now();
    const { begun, isWaiting, isOver } = this.#tracker.observe(restore, progressCount(restore), now);
    const { attempt } = restore;
    if (begun) await commit(waitWrites(context, { restore, wait: begun, now }));
    if (isOver) return commit([updateRunning(context.tenant, restore.id, { ...waitEnds(restore, now), expected: { attempt } })]);
    if (!isWaiting) return;
    const failure = outageFailure(restore, { patience: restorePatience(restore), storage: 'STORAGE_READ_ERROR', now });
    if (failure) throw failure;
  }
}

const progressCount = ({ checked, written, deleted, raced, failed }: RestoreRecord): number =>
  checked + written + deleted + raced + failed;
