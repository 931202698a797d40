import type { WriterOptions } from '../../archive/index.ts';
import { objectName } from '../../archive/index.ts';
import type { ObjectStore } from '../../destination/index.ts';
import type { FirestoreDatabase } from '../../firestore/index.ts';
import { type HeartbeatOptions, JobEndedError, type RunControl } from '../../job/index.ts';
import { bestEffort, get, secureRandomBytes } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import type { ParentArchive } from '../incremental/parent-archive.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { stillRunning } from '../model/running-backup.ts';
import { lockOf } from '../steps/prepare-backup.ts';
import type { EventContext } from './backup-progress-events.ts';
import { PartWriter } from './part-writer.ts';

/** One run of a worker over a shard. */
export interface CopyRun {
  readonly parties: EventContext;
  readonly backup: BackupRecord;
  readonly project: ProjectRecord;
  readonly engine: BackupDeps;
  readonly source: FirestoreDatabase;
  readonly store: ObjectStore;
  readonly dataKey: Buffer;
  /** What an incremental backup is compared with; opened once, when it is first asked for. */
  readonly parent: () => Promise<ParentArchive | undefined>;
  readonly halt: RunControl;
}

/** How a run keeps looking after its backup. */
export const beatOf = ({
  parties: { tenant },
  backup,
  halt,
  engine,
}: Pick<CopyRun, 'parties' | 'backup' | 'halt' | 'engine'>): Pick<
  HeartbeatOptions,
  'checkRunning' | 'total' | 'control' | 'clock'
> => ({
  checkRunning: async (now) => stillRunning(await get(backupKey.backup(tenant, backup.id)), now),
  total: backup.totalDocuments ?? 0,
  control: halt,
  clock: engine.clock,
});

/**
 * Of a core's time zstd takes most: level 3 packs 113 MB/s to 3.4 times less, level 6 needs 2.4 times as long for 7 % fewer
 * bytes. What is sealed is opened again before it is sent, against faulty memory.
 */
const writing = { level: 3, check: 'sealed' } as const satisfies Partial<WriterOptions>;

/** What a part is written for, and where to. */
export type PartRun = Pick<CopyRun, 'backup' | 'dataKey' | 'store' | 'halt'>;
export interface PartClaim {
  readonly shard: { readonly number: number };
  readonly part: number;
}

/** Runs the work with a part to write; whatever fails, no upload stays open, and what was stored for nothing is removed. */
export const withPart = async <T>(
  { backup, dataKey, store, halt }: PartRun,
  claim: PartClaim,
  work: (part: PartWriter) => Promise<T>,
): Promise<T> => {
  const part = new PartWriter(store, claim.shard.number, claim.part, {
    ...writing,
    identity: backup.archive,
    dataKey,
    random: secureRandomBytes,
    put: { ...lockOf(backup), signal: halt.storing },
  });
  try {
    return await work(part);
  } catch (error) {
    await part.abort();
    const meaning = halt.explain(error) ?? error;
    // No record will ever name these objects, and whoever cleaned up after the backup may be done already.
    if (meaning instanceof JobEndedError) await bestEffort('remove a part that is not kept', store.remove(namesOf(claim)));
    throw meaning;
  }
};

const namesOf = ({ shard: { number }, part }: PartClaim): readonly string[] => [
  objectName('chunk', number, part),
  objectName('index', number, part),
];
