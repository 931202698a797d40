/** The backup another one is made from: the parent of an incremental backup, or the origin of a synthetic full. */
import { type Archive, ArchiveError, type Manifest, type ObjectEntry, storedObjects } from '../../archive/index.ts';
import { headExpected, type ObjectState, type ObjectStore, objectWithHash, StorageError } from '../../destination/index.ts';
import { JobFailure, UploadError } from '../../job/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import {
  type ArchiveSource,
  type BackupDeps,
  type BackupRecord,
  backupKey,
  classifyReadError,
  type OpenArchive,
  openRawArchive,
  type ReadProblem,
  reportDamage,
} from '../../stored-backup/index.ts';

/** What a backup is made from cannot be read, or is gone. Retries do not help. */
export class OriginFailure extends JobFailure {}

/** Opens the parent; undefined if the backup has none. The caller closes it. */
export const openParent = async (tenant: Tenant, child: BackupRecord, deps: BackupDeps): Promise<ParentArchive | undefined> =>
  child.parentBackupId === null ? undefined : openParentArchive(tenant, { child, parentId: child.parentBackupId, deps });

export const openParentArchive = async (
  tenant: Tenant,
  { child, parentId, deps }: { readonly child: BackupRecord; readonly parentId: string; readonly deps: BackupDeps },
): Promise<ParentArchive> => {
  const parent = await get(backupKey.backup(tenant, parentId));
  if (parent?.status !== 'completed')
    throw new OriginFailure('STORAGE_READ_ERROR', `The backup ${parentId}, which this one is made from, is gone`);
  const link = { tenant, parent, child, deps };
  return new ParentArchive(link, await read(link, () => openRawArchive(tenant, { backup: parent, deps })));
};

interface ParentLink {
  readonly tenant: Tenant;
  readonly parent: BackupRecord;
  readonly child: BackupRecord;
  readonly deps: Pick<BackupDeps, 'clock'>;
}

interface StoredChunk {
  readonly store: ObjectStore;
  readonly state: ObjectState;
}

type ObjectRef = Pick<ObjectEntry, 'backup' | 'name'>;
const idOf = ({ backup, name }: ObjectRef): string => `${backup} ${name}`;

export class ParentArchive {
  readonly #link: ParentLink;
  readonly #open: OpenArchive;
  readonly #entries: ReadonlyMap<string, ObjectEntry>;
  readonly #checks = new Map<string, Promise<StoredChunk>>();

  constructor(link: ParentLink, open: OpenArchive) {
    this.#link = link;
    this.#open = open;
    this.#entries = new Map(storedObjects(open.archive.manifest).map((entry) => [idOf(entry), entry]));
  }

  get backup(): BackupRecord {
    return this.#link.parent;
  }

  get archive(): Archive {
    return this.#open.archive;
  }

  get manifest(): Manifest {
    return this.#open.archive.manifest;
  }

  /** Fails the job if the parent cannot be read, even with retries, and marks the parent as damaged. */
  read<T>(work: () => Promise<T>): Promise<T> {
    return read(this.#link, work);
  }

  /** Returns undefined if the parent cannot be read, and marks it as damaged. */
  async readOrReportDamage<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const problem = classifyReadError(error);
      if (!problem) throw error;
      await reportDamage(damagedBy(this.#link), problem);
      return undefined;
    }
  }

  /** Throws unless the chunk is stored with its size. Each chunk is checked once. */
  assertStored(object: ObjectRef): Promise<StoredChunk> {
    const id = idOf(object);
    const check = this.#checks.get(id) ?? this.#check(object);
    this.#checks.set(id, check);
    check.catch(() => this.#checks.delete(id));
    return check;
  }

  /** The folder and key of another archive that this one depends on, or its own. */
  sourceOf(archiveId: string): Promise<ArchiveSource> {
    return this.#open.sourceOf(archiveId);
  }

  async #check({ backup, name }: ObjectRef): Promise<StoredChunk> {
    const entry = this.#entries.get(idOf({ backup, name }));
    const { store } = await this.sourceOf(backup);
    const stored = entry && (await headExpected(store, objectWithHash(entry)));
    if (stored?.size === entry?.size && stored) return { store, state: stored };
    const message = `${stored?.size ?? 'none'} of ${entry?.size} bytes are stored`;
    throw Object.assign(new ArchiveError('truncated', message), { object: { backup, name } });
  }

  close(): void {
    this.#open.close();
  }
}

/**
 * Turns an incremental backup whose parent is damaged or cannot be opened into a full one, with the reason, before anything is copied. Rejects
 * if a retry may open the parent.
 */
export const fallBackToFull = async (tenant: Tenant, child: BackupRecord, deps: BackupDeps): Promise<Partial<BackupRecord>> => {
  try {
    const parent = await openParent(tenant, child, deps);
    parent?.close();
    if (parent?.backup.damagedDepth === undefined) return {};
    throw new OriginFailure('CHUNK_CORRUPT', `The backup ${parent.backup.id}, which this one is made from, is damaged`);
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    return { type: 'full', parentBackupId: null, chainLength: 0, fullBecause: error.message };
  }
};

const damagedBy = ({ tenant, parent, child, deps }: ParentLink) => ({
  tenant,
  backup: parent,
  by: child.id,
  now: deps.clock.now(),
});

const read = async <T>(link: ParentLink, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const problem = error instanceof UploadError ? undefined : classifyReadError(error);
    if (!problem) throw error;
    // The changes that a backup is built from are in its own folder.
    if (problem.object?.backup !== link.child.archive.backup) await reportDamage(damagedBy(link), problem);
    throw unreadable(link.parent, problem, error);
  }
};

const unreadable = ({ id }: BackupRecord, { reason, message, object }: ReadProblem, cause: unknown): OriginFailure =>
  cause instanceof JobFailure
    ? new OriginFailure(cause.code, cause.message, cause.details, { cause })
    : new OriginFailure(
        cause instanceof StorageError ? 'STORAGE_READ_ERROR' : 'CHUNK_CORRUPT',
        `The backup ${id}, which this one is made from, cannot be read: ${message}`,
        { backupId: id, reason, ...(object && { object: object.name }) },
        { cause },
      );
