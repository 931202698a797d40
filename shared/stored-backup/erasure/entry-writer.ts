import type { LedgerEntry } from '../../archive/index.ts';
import { auditNote, systemAudit } from '../../audit/index.ts';
import {
  changeLedger,
  type ErasureRecord,
  erasureKey,
  foundPathsMaxBytes,
  type LedgerRecord,
  ledgerKey,
  sealEntry,
} from '../../erasure/index.ts';
import { enqueue } from '../../event/index.ts';
import {
  type Clock,
  commit,
  conditionOf,
  get,
  iso,
  log,
  retryOnConflict,
  StaleReadError,
  set,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import { fittingPaths } from './found-paths.ts';

/** An entry of the ledger as it was read, with its content. */
export interface OpenEntry {
  readonly ledger: LedgerRecord;
  readonly entry: ErasureRecord;
  readonly erasure: LedgerEntry;
}

type Fields = Readonly<Partial<Record<keyof ErasureRecord, unknown>>>;

/** `continues`: the time was up, and what is done is saved. Another task has to go on with the entry. */
export type EntryOutcome = 'done' | 'continues';

/** Where a search that takes several tasks has arrived. */
export const searchProgress = ({ searching, searchAfter, capturesAfter }: ErasureRecord) => ({
  searching,
  searchAfter,
  capturesAfter,
});

/** No search is in progress. */
export const noProgress = { searching: undefined, searchAfter: undefined, capturesAfter: undefined, searchBegan: undefined };

/** An erasure is made while paths are added; the paths are then added to the newer ledger. */
const ledgerRetry = { attempts: 8, jitterMs: 500, isRetryable: (error: unknown) => error instanceof StaleReadError };

/** Writes what was found out about an entry. Rejects with a conflict if another task has changed it since it was read. */
export class EntryWriter {
  readonly #tenant: Tenant;
  readonly #of: OpenEntry;
  readonly #clock: Clock;

  constructor(tenant: Tenant, of: OpenEntry, clock: Clock) {
    this.#tenant = tenant;
    this.#of = of;
    this.#clock = clock;
  }

  /** Documents that a query found are erased by their paths from now on, in versions without the value, too. */
  save(fields: Fields, paths: readonly string[] = []): Promise<void> {
    return retryOnConflict(ledgerRetry, async () => commit([this.#whileNotMoved, ...(await this.#writes(fields, paths))]));
  }

  async expire(fields: Fields): Promise<void> {
    const { id, projectId, lastHeldBackupId } = this.#of.entry;
    const now = this.#clock.now();
    await commit([
      this.#whileNotMoved,
      this.#set({ ...fields, status: 'expired', expiredAt: iso(now) }),
      systemAudit('erasures', {
        action: 'erasure.expired',
        note: auditNote(this.#tenant, { type: 'erasure', id, details: { projectId, lastHeldBackupId } }),
        now,
      }),
    ]);
  }

  async #writes(fields: Fields, found: readonly string[]): Promise<readonly Write[]> {
    const { entry, erasure } = this.#of;
    const ledger = found.length > 0 ? await get(erasureKey.ledger(this.#tenant, entry.projectId)) : undefined;
    const paths = ledger ? fittingPaths(found, foundPathsMaxBytes - ledger.bytes) : [];
    if (paths.length < found.length)
      log.warn('the erasure ledger has no room for all paths that a query found', { erasureId: entry.id });
    if (!ledger || paths.length === 0) return [this.#set(fields)];
    const dataKey = await ledgerKey(ledger);
    const version = ledger.version + 1;
    const content = { ...erasure, paths: [...erasure.paths, ...paths] };
    const sealed = sealEntry(ledger.identity, content, { version, dataKey });
    const bytes = ledger.bytes + sealed.sealed.length - entry.sealed.length;
    return [
      changeLedger(this.#tenant, ledger, { version, bytes }),
      this.#set({ ...fields, ...sealed, version, pathCount: content.paths.length }),
      enqueue(this.#tenant, { kind: 'store-erasures', projectId: entry.projectId }, this.#clock.now()),
    ];
  }

  #set(fields: Fields): Write {
    const { entry } = this.#of;
    const { id, projectId, status, sealedVersion, lastHeldBackupId } = entry;
    return set(erasureKey.erasure(this.#tenant, projectId, id), fields, {
      expected: { status, sealedVersion, lastHeldBackupId, ...searchProgress(entry) },
    });
  }

  /** A move that began since hides backups that the search has not seen. */
  get #whileNotMoved(): Write {
    return { check: projectKey.move(this.#tenant, this.#of.entry.projectId), ...conditionOf(undefined) };
  }
}
