import type { Tenant } from '../../platform/index.ts';
import { editionOf } from '../../project/index.ts';
import { checksPerDay } from './allowance.ts';
import { type BudgetedProject, dailyAllowanceOf } from './daily-allowance.ts';
import { checkReadsOf } from './forecast-reads.ts';

export interface CountShare {
  readonly perDay: number;
  /** Whether a count that costs next to nothing is made at every capture. */
  readonly isFree: boolean;
}

/** The reads that a project may spend on counts a day: without a budget of its own, what half a percent of its documents costs. */
export const countShareOf = async (tenant: Tenant, budgeted: BudgetedProject): Promise<CountShare> => {
  const allowance = await dailyAllowanceOf(tenant, budgeted);
  if (allowance) return { perDay: allowance.counts, isFree: false };
  return { perDay: checkReadsOf(editionOf(budgeted.project), budgeted.documents) * checksPerDay, isFree: true };
};
