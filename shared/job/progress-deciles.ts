/** How far a job has come is told by tenths, each once. */

/** The tenths passed and not yet told of, up to 90: 100 belongs to the transaction that completes the job. */
export const decilesPassed = (toldPercent: number, documents: number, totalDocuments: number | null): readonly number[] => {
  if (!totalDocuments) return [];
  return decilesUpTo(toldPercent, Math.min(90, Math.floor((documents * 10) / totalDocuments) * 10));
};

export const decilesUpTo = (toldPercent: number, percent: number): readonly number[] =>
  Array.from({ length: Math.max(0, (percent - toldPercent) / 10) }, (_, n) => toldPercent + (n + 1) * 10);
