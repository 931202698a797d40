/** Progress is reported once per 10 %. Returns the deciles passed since `reportedPercent`, up to 90; completion reports 100. */
export const decilesPassed = (reportedPercent: number, documents: number, totalDocuments: number | null): readonly number[] => {
  if (!totalDocuments) return [];
  return decilesUpTo(reportedPercent, Math.min(90, Math.floor((documents * 10) / totalDocuments) * 10));
};

export const decilesUpTo = (reportedPercent: number, percent: number): readonly number[] =>
  Array.from({ length: Math.max(0, (percent - reportedPercent) / 10) }, (_, n) => reportedPercent + (n + 1) * 10);
