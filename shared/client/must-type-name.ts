interface PlannedChanges {
  readonly create: number;
  readonly overwrite: number;
  /** Documents. */
  readonly delete: number;
  /** The first paths that are deleted; those of users, too. */
  readonly deletions?: readonly string[] | undefined;
  readonly authUsers?: { readonly create: number; readonly overwrite: number } | undefined;
  /** A job has planned it, which does not count the users that it would write. */
  readonly hasUncountedUsers?: boolean | undefined;
}

/** Documents and users that a restore may create or replace without the name of its target being typed. */
const untypedMax = 10;

/** Whether a person types the name of the target before a restore starts: not if it is small, deletes nothing, and can be undone. */
export const mustTypeName = (plan: PlannedChanges, { safetyBackup }: { readonly safetyBackup: boolean }): boolean => {
  const { create, overwrite, deletions = [], authUsers, hasUncountedUsers = false } = plan;
  const written = create + overwrite + (authUsers ? authUsers.create + authUsers.overwrite : 0);
  return !safetyBackup || hasUncountedUsers || plan.delete + deletions.length > 0 || written > untypedMax;
};
