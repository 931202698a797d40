interface PlanCounts {
  readonly create: number;
  readonly overwrite: number;
  readonly delete: number;
}

/** Documents that a restore may create or replace without the name of its target being typed. */
const untypedMax = 10;

/** Whether a person types the name of the target before a restore starts: not if it is small, deletes nothing, and can be undone. */
export const mustTypeName = (plan: PlanCounts, { safetyBackup }: { readonly safetyBackup: boolean }): boolean =>
  !safetyBackup || plan.delete > 0 || plan.create + plan.overwrite > untypedMax;
