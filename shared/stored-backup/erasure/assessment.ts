import type { ErasureRecord } from '../../erasure/index.ts';
import { after, get, iso, type Tenant } from '../../platform/index.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { type EntryOutcome, type EntryWriter, noProgress, type OpenEntry } from './entry-writer.ts';
import { completedBackups, findRemains } from './kept-backups.ts';
import type { SearchResult } from './search-backup.ts';
import { type AssessOptions, searchKeptBackup } from './search-kept-backup.ts';

/** A worker that completes a backup has committed it this long after its `completedAt` at the latest. */
const commitSeconds = 300;

/** What one task finds out about an entry whose documents are all named. */
export class Assessment {
  readonly #tenant: Tenant;
  readonly #of: OpenEntry;
  readonly #writer: EntryWriter;
  readonly #options: AssessOptions;
  readonly #leaves = new Map<string, boolean>();
  readonly #began: NonNullable<ErasureRecord['searchBegan']>;

  /** The backups are searched, and none was added since. */
  readonly #isAtCaptures: boolean;

  constructor(tenant: Tenant, of: OpenEntry, { writer, ...options }: AssessOptions & { readonly writer: EntryWriter }) {
    this.#tenant = tenant;
    this.#of = of;
    this.#writer = writer;
    this.#options = options;
    const { searchBegan, searchAfter, searching } = of.entry;
    const isWithinBackups = searchAfter !== undefined || searching !== undefined;
    this.#isAtCaptures = !isWithinBackups && searchBegan?.round === of.ledger.round;
    // An entry that was stored without it is searched once more.
    if (isWithinBackups) this.#began = searchBegan ?? { at: of.entry.createdAt, round: -1 };
    else this.#began = (this.#isAtCaptures && searchBegan) || { at: iso(options.clock.now()), round: of.ledger.round };
  }

  async assess(): Promise<EntryOutcome> {
    const { searchAfter, capturesAfter, searchedBackupId } = this.#of.entry;
    const newest = (await completedBackups(this.#tenant, this.#of.entry.projectId).next()).value ?? undefined;
    const isWalk = searchAfter !== undefined || capturesAfter !== undefined || !(await this.#isHeld());
    if (capturesAfter !== undefined && this.#isAtCaptures) return this.#concludeWithoutBackup(newest);
    if (isWalk) return this.#searchAll(newest);
    return newest && newest.id !== searchedBackupId ? this.#searchNewest(newest) : 'done';
  }

  /** Whether the backup that held the documents is still there. */
  async #isHeld(): Promise<boolean> {
    const { status, lastHeldBackupId, isHeldByCaptures = false } = this.#of.entry;
    if (status === 'expired') return true;
    if (status === 'active' && lastHeldBackupId === null) return !isHeldByCaptures;
    if (status === 'resolving' || lastHeldBackupId === null) return false;
    return (await get(backupKey.backup(this.#tenant, lastHeldBackupId)))?.status === 'completed';
  }

  async #searchNewest(newest: BackupRecord): Promise<EntryOutcome> {
    const found = await this.#search(newest);
    if (found?.searched !== undefined) return this.#stopWithin(newest, found, undefined);
    if (found && found.documents > 0) return this.#found(newest, found, newest);
    // What cannot be read may hold the documents.
    const isSure = found && !this.#mayHaveCopied(newest);
    await this.#writer.save(
      isSure ? { ...noProgress, searchedBackupId: newest.id } : { ...noProgress, status: 'active', expiredAt: null },
    );
    return 'done';
  }

  /** From the newest to the oldest backup that may hold the documents. */
  async #searchAll(newest: BackupRecord | undefined): Promise<EntryOutcome> {
    const { projectId, searchAfter, searchedTo } = this.#of.entry;
    const { clock, deadline } = this.#options;
    let last = searchAfter;
    for await (const backup of completedBackups(this.#tenant, projectId, searchAfter)) {
      if (searchedTo !== undefined && backup.completedAt !== null && backup.completedAt < searchedTo) continue;
      const found = await this.#search(backup);
      if (found?.searched !== undefined) return this.#stopWithin(backup, found, last);
      if (found && found.documents > 0) return this.#found(backup, found, newest);
      if (!found) {
        await this.#writer.save({ status: 'active', ...noProgress });
        return 'done';
      }
      last = backup.id;
      if (clock.now() < deadline) continue;
      await this.#writer.save({ searching: undefined, searchAfter: last, searchBegan: this.#began });
      return 'continues';
    }
    return this.#concludeWithoutBackup(newest);
  }

  /** No kept backup holds the documents. */
  async #concludeWithoutBackup(newest: BackupRecord | undefined): Promise<EntryOutcome> {
    const { entry, erasure } = this.#of;
    const { projectId, status, lastHeldBackupId, documentsFound, capturesAfter } = entry;
    const searchedTo = iso(after(new Date(this.#began.at), -commitSeconds));
    // Backups that were added during a search of several tasks are searched by the next one.
    if (this.#began.round !== this.#of.ledger.round) {
      await this.#writer.save({ ...noProgress, capturesAfter, searchedTo });
      return 'continues';
    }
    const captures = await this.#options.searchCaptures(this.#tenant, {
      projectId,
      erasure,
      isFirstEnough: true,
      ...(capturesAfter !== undefined && { after: capturesAfter }),
    });
    if (captures.after !== undefined) {
      await this.#writer.save({ ...noProgress, searchedTo, searchBegan: this.#began, capturesAfter: captures.after });
      return 'continues';
    }
    const isHeldByCaptures = captures.isFound || entry.isHeldByCaptures;
    const wasFound = lastHeldBackupId !== null || entry.isHeldByCaptures === true;
    const mayHold =
      captures.isFound ||
      !captures.isComplete ||
      (await findRemains(this.#tenant, projectId)) !== undefined ||
      (await this.#areCopiesKept());
    const searched = { ...noProgress, searchedTo, searchedBackupId: newest?.id };
    if (!wasFound || mayHold)
      await this.#writer.save({ ...searched, status: 'active', documentsFound: documentsFound ?? 0, isHeldByCaptures });
    else if (status !== 'expired') await this.#writer.expire(searched);
    return 'done';
  }

  async #areCopiesKept(): Promise<boolean> {
    for await (const backup of completedBackups(this.#tenant, this.#of.entry.projectId))
      if (this.#mayHaveCopied(backup)) return true;
    return false;
  }

  /** A full backup that is built from changes copies leaves of its base with the versions that the base no longer had. */
  #mayHaveCopied({ builtFrom, parentBackupId, synthesizedFrom, erasuresHeeded = 0 }: BackupRecord): boolean {
    const copiesLeaves = builtFrom === 'changes' && parentBackupId === null && synthesizedFrom === undefined;
    return copiesLeaves && erasuresHeeded < this.#of.entry.version;
  }

  /** What an earlier task has found in the backup is included. */
  async #search(backup: BackupRecord): Promise<SearchResult | undefined> {
    const { entry, erasure } = this.#of;
    const earlier = entry.searching?.backupId === backup.id ? entry.searching : undefined;
    const search = { erasure, leaves: this.#leaves, start: earlier?.segments ?? 0 };
    const found = await searchKeptBackup(this.#tenant, { backup, search, options: this.#options });
    return found && { ...found, documents: found.documents + (earlier?.documents ?? 0) };
  }

  async #stopWithin(
    { id }: BackupRecord,
    { documents, paths, searched }: SearchResult,
    searchAfter: string | undefined,
  ): Promise<EntryOutcome> {
    const searching = { backupId: id, segments: searched ?? 0, documents };
    const searchBegan = this.#began;
    // With more paths, older versions in backups that were searched before may count.
    const searchedTo = paths.length > 0 ? undefined : this.#of.entry.searchedTo;
    await this.#writer.save({ searching, searchAfter, searchBegan, searchedTo }, paths);
    return 'continues';
  }

  async #found(
    backup: BackupRecord,
    { documents, paths }: SearchResult,
    newest: BackupRecord | undefined,
  ): Promise<EntryOutcome> {
    const { lastHeldBackupId, status, searchAfter, searchedBackupId } = this.#of.entry;
    // The newest one was not searched if it was added during a search of several tasks.
    const isNewestSearched = searchAfter === undefined;
    const isKnown = status === 'active' && isNewestSearched && backup.id === lastHeldBackupId;
    if (paths.length === 0 && isKnown && newest?.id === searchedBackupId) return 'done';
    await this.#writer.save(
      {
        ...noProgress,
        documentsFound: documents,
        lastHeldBackupId: backup.id,
        searchedBackupId: isNewestSearched ? newest?.id : undefined,
        searchedTo: undefined,
        status: 'active',
        expiredAt: null,
      },
      paths,
    );
    return isNewestSearched ? 'done' : 'continues';
  }
}
