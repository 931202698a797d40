import type { LedgerEntry } from '../archive/index.ts';
import { ErasureFilter } from '../firestore/index.ts';
import type { Tenant } from '../platform/index.ts';
import { readLedger } from './read-ledger.ts';

/** A backup belongs to the project of its record, and was made of the project of its archive: an imported one may have two. */
interface Source {
  readonly projectId: string;
  readonly archive: { readonly project: string };
}

/** What is erased in a backup; empty if nothing is. */
export const erasuresIn = async (tenant: Tenant, { projectId, archive }: Source): Promise<readonly LedgerEntry[]> => {
  const ledgers = await Promise.all([...new Set([projectId, archive.project])].map((id) => readLedger(tenant, id)));
  return ledgers.flatMap((ledger) => ledger?.erasures ?? []);
};

/** The filter for the records of a backup; undefined if nothing is erased, and then reading costs nothing more. */
export const loadFilter = async (tenant: Tenant, backup: Source, documentsRoot: string): Promise<ErasureFilter | undefined> => {
  const erasures = await erasuresIn(tenant, backup);
  return erasures.length === 0 ? undefined : new ErasureFilter(erasures, documentsRoot);
};
