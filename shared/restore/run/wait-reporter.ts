import { WaitTracker, type WatchedCalls } from '../../job/index.ts';
import { type Clock, commit, iso } from '../../platform/index.ts';
import type { RestoreRecord } from '../model/record.ts';
import type { RestoreContext } from '../model/restore-context.ts';
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

  /** `restore` is the record as just read. */
  async observe(restore: RestoreRecord): Promise<void> {
    const { context, clock } = this.#sources;
    const now = clock.now();
    const { begun, isOver } = this.#tracker.observe(restore, progressCount(restore), now);
    if (begun) await commit(waitWrites(context, { restore, waitingFor: begun, now }));
    if (!isOver) return;
    const set = { waitingFor: undefined, movedAt: iso(now) };
    await commit([updateRunning(context.tenant, restore.id, { set, expected: { attempt: restore.attempt } })]);
  }
}

const progressCount = ({ checked, written, deleted, raced, failed }: RestoreRecord): number =>
  checked + written + deleted + raced + failed;
