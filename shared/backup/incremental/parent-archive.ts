/** An earlier backup while another is made upon it: the parent of an incremental one, or what a full one is made of. */
import { type Archive, ArchiveError, type Manifest, type ObjectEntry } from '../../archive/index.ts';
import { StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { type OpenArchive, openArchive } from '../read/open-archive.ts';
import { classifyReadError, type ParentLink, type ReadProblem, reportDamage } from './report-damage.ts';

/** The parent, open; undefined for a backup that has none. Whoever opened it closes it. */
export const openParent = async (tenant: Tenant, child: BackupRecord, deps: BackupDeps): Promise<ParentArchive | undefined> =>
  child.parentBackupId === null ? undefined : openParentArchive(tenant, child, child.parentBackupId, deps);

export const openParentArchive = async (
  tenant: Tenant,
  child: BackupRecord,
  parentId: string,
  deps: BackupDeps,
): Promise<ParentArchive> => {
  const parent = await get(backupKey.backup(tenant, parentId));
  if (parent?.status !== 'completed')
    throw new JobFailure('STORAGE_READ_ERROR', `The backup ${parentId}, which this one is built upon, is gone`);
  const kinship = { tenant, parent, childId: child.id, deps };
  return new ParentArchive(kinship, await read(kinship, () => openArchive(tenant, parent, undefined, deps)));
};

type ObjectPlace = Pick<ObjectEntry, 'backup' | 'name'>;
const idOf = ({ backup, name }: ObjectPlace): string => `${backup} ${name}`;

export class ParentArchive {
  readonly #kinship: ParentLink;
  readonly #open: OpenArchive;
  readonly #sizes: ReadonlyMap<string, number>;
  readonly #proven = new Map<string, Promise<void>>();

  constructor(kinship: ParentLink, open: OpenArchive) {
    this.#kinship = kinship;
    this.#open = open;
    this.#sizes = new Map(open.archive.manifest.objects.map((entry) => [idOf(entry), entry.size]));
  }

  get backup(): BackupRecord {
    return this.#kinship.parent;
  }

  get archive(): Archive {
    return this.#open.archive;
  }

  get manifest(): Manifest {
    return this.#open.archive.manifest;
  }

  /** Whatever cannot be read however often it is tried ends the work; from then on the backup says that it is damaged. */
  read<T>(work: () => Promise<T>): Promise<T> {
    return read(this.#kinship, work);
  }

  /** The same, with undefined for what cannot be read: for whoever can do without it. */
  async readOrReportDamage<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const misread = classifyReadError(error);
      if (!misread) throw error;
      await reportDamage(this.#kinship, misread);
      return undefined;
    }
  }

  /** Throws unless the chunk, its own or that of one before it, is stored with its size; asked once. */
  assertStored(object: ObjectPlace): Promise<void> {
    const id = idOf(object);
    const known = this.#proven.get(id) ?? this.#prove(object);
    this.#proven.set(id, known);
    known.catch(() => this.#proven.delete(id));
    return known;
  }

  async #prove({ backup, name }: ObjectPlace): Promise<void> {
    const size = this.#sizes.get(idOf({ backup, name }));
    const stored = await (await this.#open.sourceOf(backup)).store.head(name);
    if (stored && stored.size === size) return;
    const message = `${stored?.size ?? 'none'} of ${size} bytes are there`;
    throw Object.assign(new ArchiveError('truncated', message), { object: { backup, name } });
  }

  close(): void {
    this.#open.close();
  }
}

/**
 * What a backup whose parent cannot be opened becomes, before anything was copied: a full one that says why, rather than none. As
 * long as another try may open it, it stays what it is.
 */
export const fallBackToFull = async (tenant: Tenant, child: BackupRecord, deps: BackupDeps): Promise<Partial<BackupRecord>> => {
  try {
    (await openParent(tenant, child, deps))?.close();
    return {};
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    return { type: 'full', parentBackupId: null, chainLength: 0, fullBecause: error.message };
  }
};

const read = async <T>(kinship: ParentLink, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const misread = classifyReadError(error);
    if (!misread) throw error;
    await reportDamage(kinship, misread);
    throw error instanceof JobFailure ? error : unreadable(kinship.parent, misread, error);
  }
};

const unreadable = ({ id }: BackupRecord, { reason, message, object }: ReadProblem, cause: unknown): JobFailure =>
  new JobFailure(
    cause instanceof StorageError ? 'STORAGE_READ_ERROR' : 'CHUNK_CORRUPT',
    `The backup ${id}, which this one is built upon, cannot be read: ${message}`,
    { backupId: id, reason, ...(object && { object: object.name }) },
    { cause },
  );
