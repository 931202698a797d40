import type { DatabaseEdition } from '../../contract/read-prices.ts';

/** What an edition bills for reads: documents, or units of 4 KiB. */
export interface ReadBilling {
  /** The documents of one query. */
  query(documents: number, bytes: number): number;
  /** A document that is looked up, or that a listener is sent; one that does not exist has no bytes. */
  document(bytes: number): number;
  /** A count of so many documents. */
  count(documents: number): number;
}

/** A count of this many documents is billed as one read in the Standard edition. */
export const countedPerRead = 1_000;
const unitBytes = 4_096;
/** Billed for each document that is counted without being read. */
const entryBytes = 32;
const unitsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / unitBytes));

export const readBilling: Readonly<Record<DatabaseEdition, ReadBilling>> = {
  standard: {
    query: (documents) => Math.max(1, documents),
    document: () => 1,
    count: (documents) => Math.max(1, Math.ceil(documents / countedPerRead)),
  },
  enterprise: {
    query: (_documents, bytes) => unitsOf(bytes),
    document: unitsOf,
    count: (documents) => unitsOf(documents * entryBytes),
  },
};
