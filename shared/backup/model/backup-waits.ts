/** Shows on the record of a backup, and in its progress events, that it makes no progress; ends one that has waited for too long. */
import {
  isReplacedBy,
  type JobFailure,
  judgeFailedRun,
  outageFailure,
  type Wait,
  WaitTracker,
  type WatchedCalls,
  waitBegins,
  waitContinues,
  waitEnds,
  waitReason,
} from '../../job/index.ts';
import { bestEffort, type Clock, commit, get, set, type Tenant, type Write } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import {
  type BackupRecord,
  backupKey,
  backupPatience,
  backupProgress,
  type EventContext,
  progressEvent,
} from '../../stored-backup/index.ts';
import { readRunningBackup, updateRunningBackup } from './running-backup.ts';

interface WaitSources extends WatchedCalls {
  readonly context: EventContext;
  readonly clock: Clock;
}

const storage = 'STORAGE_UPLOAD_ERROR';

/** Called with every heartbeat of a run: shows on the record that the run waits, until it makes progress again. */
export class BackupWaits {
  readonly #sources: WaitSources;
  readonly #tracker: WaitTracker;

  constructor(sources: WaitSources) {
    this.#sources = sources;
    this.#tracker = new WaitTracker(sources);
  }

  /** `backup` is the record as just read. Throws a JobFailure if it has waited for too long. */
  async observe(backup: BackupRecord): Promise<void> {
    const { context, clock } = this.#sources;
    const now = clock.now();
    const { begun, isWaiting, isOver } = this.#tracker.observe(backup, backup.documents, now);
    if (begun) await commit(waitWrites(context, { backup, wait: begun, now }));
    if (isOver) return commit([updateRunningBackup(context.tenant, backup.id, waitEnds(backup, now))]);
    if (!isWaiting) return;
    const failure = outageFailure(backup, { patience: backupPatience(backup), storage, now });
    if (failure) throw failure;
  }
}

/** A step of a backup, and the shard that it copies, if any. */
export interface BackupRun {
  readonly backupId: string;
  readonly shard?: number | undefined;
}

/**
 * A step has failed with a transient error: the backup waits until the workflow repeats it. Returns the failure of a backup that has
 * waited for too long.
 */
export const recordBackupWait = async (
  tenant: Tenant,
  { backupId, shard: number, error, now }: BackupRun & { readonly error: unknown; readonly now: Date },
): Promise<JobFailure | undefined> => {
  const reason = waitReason(error);
  if (!reason) return undefined;
  const { backup, organization } = await readRunningBackup(tenant, backupId, now);
  const problem = (error as Error).message;
  const shard = number === undefined ? undefined : await get(backupKey.shard(tenant, backupId, number));
  const noted = shard ?? backup;
  const position = JSON.stringify([backup.phase, shard?.after ?? null]);
  const patience = backupPatience(backup);
  const { failure, failing, wait } = judgeFailedRun(backup, noted.failing, { reason, position, patience, error, storage, now });
  if (failure) return failure;
  await bestEffort('note since when the step fails', commit([set({ pk: noted.pk, sk: noted.sk }, { failing })]));
  if (isReplacedBy(backup.waitingFor, wait)) {
    const project = await readProject(tenant, backup.projectId);
    await commit(waitWrites({ tenant, project, organization }, { backup, wait, problem, now }));
  } else await commit([updateRunningBackup(tenant, backupId, waitContinues(backup, problem, now))]);
  return undefined;
};

/** Records the wait, with a backup.progress event. The condition fails if the record shows a wait already, or another phase. */
const waitWrites = (
  context: EventContext,
  given: { readonly backup: BackupRecord; readonly wait: Wait; readonly problem?: string; readonly now: Date },
): readonly Write[] => {
  const { backup, wait, problem, now } = given;
  const { id, phase } = backup;
  const { change, shown, isEventDue } = waitBegins(backup, { wait, problem, now });
  return [
    updateRunningBackup(context.tenant, id, { ...change, expected: { ...change.expected, phase } }),
    ...(isEventDue ? [progressEvent(context, { backup: { ...backup, ...shown }, progress: backupProgress(backup), now })] : []),
  ];
};
