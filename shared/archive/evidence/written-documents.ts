import type { Evidence } from './evidence.ts';

/** A restore test: its evidence, or its record. */
interface Tested extends Pick<Evidence, 'target' | 'documentsWritten'> {
  readonly removal: Pick<NonNullable<Evidence['removal']>, 'status' | 'documents'> | null;
  readonly counts: Pick<NonNullable<Evidence['counts']>, 'documents'> | null;
}

/**
 * How many documents a test has written to its target; null without a target, and if it is not known. Evidence of earlier versions does
 * not say it, but what was written was removed, and counted then.
 */
export const writtenDocuments = ({ target, documentsWritten, removal }: Omit<Tested, 'counts'>): number | null => {
  if (target === null) return null;
  if (typeof documentsWritten === 'number') return documentsWritten;
  if (removal?.status === 'nothing_written') return 0;
  return removal?.status === 'verified' ? removal.documents : null;
};

/** False for a test that passed, in an earlier version, although the target had documents already and the test did not write them. */
export const hasWrittenAll = (tested: Tested): boolean =>
  tested.target === null || writtenDocuments(tested) === tested.counts?.documents;

/** What to call a test that has not written all: “Nothing written”. */
export const unwrittenWords = (tested: Tested): string => {
  const written = writtenDocuments(tested);
  return written ? `Only ${written} of ${tested.counts?.documents ?? 0} documents written` : 'Nothing written';
};
