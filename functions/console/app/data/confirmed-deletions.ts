/**
 * The deletions that a person has confirmed, kept in this tab. If the target changes before the restore begins, the new plan shows
 * which deletions are new.
 */

export interface ConfirmedDeletions {
  readonly paths: readonly string[];
  /** More than `paths` if the plan listed only the first. */
  readonly total: number;
}

/** Of a plan. */
interface Deletions {
  readonly delete: number;
  readonly deletions: readonly string[];
}

/** `delete` counts documents only; an undo may delete users, too, and lists them. */
export const deletionCount = ({ delete: deleted, deletions }: Deletions): number => Math.max(deleted, deletions.length);

const keyOf = (restoreJobId: string): string => `confirmed-deletions ${restoreJobId}`;

export const rememberConfirmed = (restoreJobId: string, plan: Deletions): void => {
  const confirmed: ConfirmedDeletions = { paths: plan.deletions, total: deletionCount(plan) };
  sessionStorage.setItem(keyOf(restoreJobId), JSON.stringify(confirmed));
};

/** Undefined if the restore was confirmed elsewhere. */
export const readConfirmed = (restoreJobId: string | undefined): ConfirmedDeletions | undefined => {
  const text = restoreJobId === undefined ? null : sessionStorage.getItem(keyOf(restoreJobId));
  return text === null ? undefined : (JSON.parse(text) as ConfirmedDeletions);
};

/** Undefined if it cannot be told, because the confirmed plan listed only a part of its deletions. */
export const newDeletions = (
  paths: readonly string[],
  confirmed: ConfirmedDeletions | undefined,
): ReadonlySet<string> | undefined => {
  if (!confirmed || confirmed.paths.length < confirmed.total) return undefined;
  const known = new Set(confirmed.paths);
  return new Set(paths.filter((path) => !known.has(path)));
};
