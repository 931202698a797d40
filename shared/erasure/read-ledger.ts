/** Reads the ledger of a project. Entries are opened once per version and container. */
import { type ErasureLedger, type LedgerEntry, openErasures } from '../archive/index.ts';
import { get, openDataKey, type Tenant, walk, warm } from '../platform/index.ts';
import { type ErasureRecord, entriesPrefix, erasureKey, type LedgerRecord } from './record.ts';

/** Ledgers in memory; a worker handles few projects at a time. */
const cachedMax = 20;
const openedLedgers = warm(() => new Map<string, Promise<ErasureLedger>>());

/** Undefined if nothing of the project was ever erased; that costs one read of the table. */
export const readLedger = async (tenant: Tenant, projectId: string): Promise<ErasureLedger | undefined> => {
  const ledger = await get(erasureKey.ledger(tenant, projectId));
  return ledger && openLedger(tenant, ledger);
};

/** The entries of at least this version of the ledger. */
export const openLedger = (tenant: Tenant, ledger: LedgerRecord): Promise<ErasureLedger> => {
  // A ledger that was created anew has another key, and may have the same version.
  const wrapped = Buffer.from(ledger.wrappedKey).toString('base64');
  const key = `${tenant.organizationId} ${ledger.projectId} ${ledger.version} ${wrapped}`;
  const cache = openedLedgers();
  const known = cache.get(key) ?? open(tenant, ledger);
  cache.delete(key);
  cache.set(key, known);
  known.catch(() => cache.delete(key));
  for (const oldest of cache.keys()) if (cache.size > cachedMax) cache.delete(oldest);
  return known;
};

const open = async (tenant: Tenant, ledger: LedgerRecord): Promise<ErasureLedger> => {
  const dataKey = await ledgerKey(ledger);
  const erasures: LedgerEntry[] = [];
  for await (const entry of entriesOf(tenant, ledger.projectId)) erasures.push(await openEntry(ledger, entry, dataKey));
  return { version: ledger.version, erasures };
};

/** Oldest first, from the entry `from` on. */
export const entriesOf = (tenant: Tenant, projectId: string, from = ''): AsyncIterable<ErasureRecord> => {
  const prefix = entriesPrefix(projectId);
  return walk<ErasureRecord>({ pk: erasureKey.ledger(tenant, projectId).pk, prefix, from: `${prefix}${from}` });
};

/** The key that seals the entries of a ledger. */
export const ledgerKey = async ({ wrappedKey, identity }: LedgerRecord): Promise<Buffer> =>
  (await openDataKey(wrappedKey, { ...identity })).plain;

export const openEntry = async (
  { identity }: LedgerRecord,
  { id, sealed, sealedVersion }: ErasureRecord,
  dataKey: Buffer,
): Promise<LedgerEntry> => {
  const { erasures } = await openErasures(sealed, { identity, dataKey, version: sealedVersion });
  const [erasure] = erasures;
  if (erasures.length !== 1 || erasure?.id !== id) throw new Error('an entry of the erasure ledger belongs to another erasure');
  return erasure;
};
