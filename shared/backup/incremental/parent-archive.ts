/** An earlier backup while another is made upon it: the parent of an incremental one, or what a full one is made of. */
import { type Archive, ArchiveError, type Manifest, type ObjectEntry } from '../../archive/index.ts';
import { StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { type OpenArchive, openArchive } from '../read/open-archive.ts';
import { type Misread, misreadOf, noteDamage } from './report-damage.ts';

/** The parent, open; undefined for a backup that has none. Whoever opened it closes it. */
export const openParent = async (tenant: Tenant, child: BackupRecord, engine: BackupDeps): Promise<ParentArchive | undefined> =>
  child.parentBackupId === null ? undefined : openEarlier(tenant, child, child.parentBackupId, engine);

/** What a full backup is made of, instead of the source; undefined for one that reads the source. */
export const openOrigin = async (tenant: Tenant, child: BackupRecord, engine: BackupDeps): Promise<ParentArchive | undefined> =>
  child.synthesizedFrom === undefined ? undefined : openEarlier(tenant, child, child.synthesizedFrom, engine);

export const openEarlier = async (
  tenant: Tenant,
  child: BackupRecord,
  earlierId: string,
  engine: BackupDeps,
): Promise<ParentArchive> => {
  const earlier = await get(backupKey.backup(tenant, earlierId));
  if (earlier?.status !== 'completed')
    throw new JobFailure('STORAGE_READ_ERROR', `The backup ${earlierId}, which this one is built upon, is gone`);
  const kinship = { tenant, earlier, childId: child.id, engine };
  return new ParentArchive(kinship, await read(kinship, () => openArchive(tenant, earlier, undefined, engine)));
};

export interface ParentLink {
  readonly tenant: Tenant;
  readonly earlier: BackupRecord;
  /** What is made upon it. */
  readonly childId: string;
  readonly engine: Pick<BackupDeps, 'clock'>;
}

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
    return this.#kinship.earlier;
  }

  get archive(): Archive {
    return this.#open.archive;
  }

  get manifest(): Manifest {
    return this.#open.archive.manifest;
  }

  /** Whatever cannot be read however often it is tried ends the work; from then on the backup says that it is damaged. */
  reading<T>(work: () => Promise<T>): Promise<T> {
    return read(this.#kinship, work);
  }

  /** The same, with undefined for what cannot be read: for whoever can do without it. */
  async tryReading<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const misread = misreadOf(error);
      if (!misread) throw error;
      await noteDamage(this.#kinship, misread);
      return undefined;
    }
  }

  /** Throws unless the chunk, its own or that of one before it, is stored with its size; asked once. */
  prove(object: ObjectPlace): Promise<void> {
    const id = idOf(object);
    const known = this.#proven.get(id) ?? this.#prove(object);
    this.#proven.set(id, known);
    known.catch(() => this.#proven.delete(id));
    return known;
  }

  async #prove({ backup, name }: ObjectPlace): Promise<void> {
    const size = this.#sizes.get(idOf({ backup, name }));
    const stored = await (await this.#open.partOf(backup)).store.head(name);
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
export const unlessParentOpens = async (
  tenant: Tenant,
  child: BackupRecord,
  engine: BackupDeps,
): Promise<Partial<BackupRecord>> => {
  try {
    (await openParent(tenant, child, engine))?.close();
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
    const misread = misreadOf(error);
    if (!misread) throw error;
    await noteDamage(kinship, misread);
    throw error instanceof JobFailure ? error : unreadable(kinship.earlier, misread, error);
  }
};

const unreadable = ({ id }: BackupRecord, { reason, message, object }: Misread, cause: unknown): JobFailure =>
  new JobFailure(
    cause instanceof StorageError ? 'STORAGE_READ_ERROR' : 'CHUNK_CORRUPT',
    `The backup ${id}, which this one is built upon, cannot be read: ${message}`,
    { backupId: id, reason, ...(object && { object: object.name }) },
    { cause },
  );
