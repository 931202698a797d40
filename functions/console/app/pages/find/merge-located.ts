import type { DataOf } from '../../../../../shared/client/index.ts';

type Located = DataOf<'GET /documents/locate'>;
type InBackup = Located['backups'][number];

/** What several pages say together, newest first. Each page knows the live document and its own backups only. */
export const mergeLocated = (pages: readonly Located[]): Located | undefined => {
  const [first, ...older] = pages;
  if (!first || older.length === 0) return first;
  const backups = withChanges(pages.flatMap((page) => page.backups));
  const found = pages.find(({ summary }) => summary.found) ?? first;
  const { lastSeen } = found.summary;
  return {
    ...first,
    backups,
    examined: pages.reduce((sum, { examined }) => sum + examined, 0),
    summary: {
      found: found.summary.found,
      lastSeen,
      lastChangedAt: first.summary.lastChangedAt ?? found.summary.lastChangedAt,
      vanishedBetween: vanishedOf(found, backups),
    },
    recommended: pages.find(({ recommended }) => recommended)?.recommended ?? null,
  };
};

const timeOf = ({ readTime, createdAt }: InBackup): number => Date.parse(readTime ?? createdAt);

/** A backup of a newer page that does not have the document says more than its absence now. */
const vanishedOf = ({ summary: { vanishedBetween } }: Located, backups: readonly InBackup[]) => {
  if (!vanishedBetween) return null;
  const from = Date.parse(vanishedBetween.from);
  const missing = backups.filter((backup) => backup.exists === false && timeOf(backup) > from);
  const [earliest] = missing.toSorted((one, other) => timeOf(one) - timeOf(other));
  const isEarlier = earliest && timeOf(earliest) < Date.parse(vanishedBetween.to);
  return isEarlier ? { ...vanishedBetween, to: earliest.readTime ?? earliest.createdAt } : vanishedBetween;
};

/** At the end of a page the next older state was not known yet. */
const withChanges = (newestFirst: readonly InBackup[]): InBackup[] =>
  newestFirst.map((backup, n) => {
    if (backup.exists === null || backup.changed !== null) return backup;
    const older = newestFirst.slice(n + 1).find(({ exists }) => exists !== null);
    return older ? { ...backup, changed: backup.exists !== older.exists || backup.contentHash !== older.contentHash } : backup;
  });
