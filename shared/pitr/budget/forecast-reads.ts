/** What the protection of a database reads a day, with given settings. */

import { consistentPointEveryMs } from '../../contract/limits.ts';
import type { ReadKind } from '../../contract/models/project-reads.ts';
import type { DatabaseEdition } from '../../contract/read-prices.ts';
import { readBilling } from '../../firestore/index.ts';
import { type Allowance, allowanceOf, lookupsShare } from './allowance.ts';

export interface DatabaseSize {
  readonly edition: DatabaseEdition;
  readonly documents: number;
  readonly changedPerDay: number;
  /** Of one document on average. */
  readonly documentBytes: number;
  readonly collections: number;
}

export interface ProtectionSettings {
  readonly precision: 'second' | 'interval' | 'off';
  readonly intervalSeconds: number;
  readonly auditDays: number;
  /** Backups a day that are built from changes where they are captured, and those that read in any case. */
  readonly buildsPerDay: number;
  readonly readsPerDay: number;
  /** Reads a day; undefined: what the formula allows. */
  readonly budget: number | undefined;
}

export interface Forecast {
  readonly reads: Readonly<Record<ReadKind, number>>;
  readonly allowance: Allowance;
}

const daySeconds = 24 * 3_600;
/** What a backup asks the source in any case. */
const probeReads = 1;
/** A count of all documents, and of the collections whose number is not known. */
const countsPerCheck = 2;

export const checkReadsOf = (edition: DatabaseEdition, documents: number): number =>
  countsPerCheck * readBilling[edition].count(documents);

export const forecastReads = (size: DatabaseSize, settings: ProtectionSettings): Forecast => {
  const { edition, documents, documentBytes, changedPerDay } = size;
  const { precision, intervalSeconds, buildsPerDay, readsPerDay, auditDays, budget } = settings;
  const billing = readBilling[edition];
  const all = documents === 0 ? 0 : billing.query(documents, documents * documentBytes);
  // Counted when it is planned and when it is read, and three small questions.
  const reading = all + 2 * billing.count(documents) + 3 * probeReads;
  const isCaptured = precision !== 'off';
  const cyclesPerDay = isCaptured ? daySeconds / intervalSeconds : 0;
  const changes = isCaptured ? Math.round(changedPerDay * billing.document(documentBytes)) : 0;
  const lookups = precision === 'second' ? Math.ceil(changes * lookupsShare) : 0;
  const backups = Math.round((isCaptured ? buildsPerDay * probeReads : buildsPerDay * reading) + readsPerDay * reading);
  const bases = isCaptured ? probeReads : 0;
  const listing = Math.round(listingPerDay(size, { precision, cyclesPerDay }));
  const count = checkReadsOf(edition, documents);
  const allowance = allowanceOf({
    ...{ allDocuments: isCaptured ? all : 0, changes, fixed: listing + bases + backups },
    ...{ count: isCaptured ? count : 0, cyclesPerDay, auditDays, budget },
  });
  // A built backup asks for a count of its own, whatever it costs.
  const counts = isCaptured ? Math.max(allowance.counts, Math.ceil(buildsPerDay) * count) : 0;
  return {
    reads: { changes, lookups, listing, proofs: 0, counts, audit: allowance.audit, bases, backups },
    allowance,
  };
};

/** Root collections are listed at every second, or at every capture, which then also asks each collection. */
const listingPerDay = (
  { collections }: DatabaseSize,
  { precision, cyclesPerDay }: { readonly precision: ProtectionSettings['precision']; readonly cyclesPerDay: number },
): number => {
  if (precision === 'off') return 0;
  if (precision === 'second') return daySeconds + (daySeconds * 1_000) / consistentPointEveryMs + cyclesPerDay;
  return cyclesPerDay * (1 + Math.max(1, collections));
};
