/** Shows on the record of a backup, and in its progress events, that it makes no progress. */
import { type Wait, WaitTracker, type WatchedCalls, waitReason } from '../../job/index.ts';
import { after, type Clock, commit, iso, type Tenant, type Write } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import { type BackupRecord, backupProgress, type EventContext, progressEvent } from '../../stored-backup/index.ts';
import { readRunningBackup, updateRunningBackup } from './running-backup.ts';

interface WaitSources extends WatchedCalls {
  readonly context: EventContext;
  readonly clock: Clock;
}

/** Called with every heartbeat of a run: shows on the record that the run waits, until it makes progress again. */
export class BackupWaits {
  readonly #sources: WaitSources;
  readonly #tracker: WaitTracker;

  constructor(sources: WaitSources) {
    this.#sources = sources;
    this.#tracker = new WaitTracker(sources);
  }

  /** `backup` is the record as just read. */
  async observe(backup: BackupRecord): Promise<void> {
    const { context, clock } = this.#sources;
    const now = clock.now();
    const { begun, isOver } = this.#tracker.observe(backup, backup.documents, now);
    if (begun) await commit(waitWrites(context, { backup, waitingFor: begun, now }));
    if (!isOver) return;
    await commit([updateRunningBackup(context.tenant, backup.id, { set: { waitingFor: undefined, movedAt: iso(now) } })]);
  }
}

/** A step has failed with a transient error: the backup waits until the workflow repeats it. */
export const recordBackupWait = async (
  tenant: Tenant,
  { backupId, error, now }: { readonly backupId: string; readonly error: unknown; readonly now: Date },
): Promise<undefined> => {
  const reason = waitReason(error);
  if (!reason) return undefined;
  const { backup, organization } = await readRunningBackup(tenant, backupId, now);
  if (backup.waitingFor) return undefined;
  const project = await readProject(tenant, backup.projectId);
  await commit(waitWrites({ tenant, project, organization }, { backup, waitingFor: { reason, since: iso(now) }, now }));
  return undefined;
};

/** A backup that waits, goes on and waits again reports it this often at most. */
const eventSeconds = 300;

/** Records the wait, with a backup.progress event. The condition fails if the record shows a wait already, or another phase. */
const waitWrites = (
  context: EventContext,
  { backup, waitingFor, now }: { readonly backup: BackupRecord; readonly waitingFor: Wait; readonly now: Date },
): readonly Write[] => {
  const { id, phase, waitReportedAt } = backup;
  const isEventDue = waitReportedAt === undefined || waitReportedAt <= iso(after(now, -eventSeconds));
  const set = { waitingFor, ...(isEventDue && { waitReportedAt: iso(now) }) };
  return [
    updateRunningBackup(context.tenant, id, { set, expected: { phase, waitingFor: undefined } }),
    ...(isEventDue ? [progressEvent(context, { backup: { ...backup, waitingFor }, progress: backupProgress(backup), now })] : []),
  ];
};
