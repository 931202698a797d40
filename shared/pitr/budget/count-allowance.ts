import type { Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { editionOf, projectReadPrice, readDays, totalReads } from '../../project/index.ts';
import { allowanceOf, checksPerDay } from './allowance.ts';
import { checkReadsOf } from './forecast-reads.ts';

/** What the days before used tells what this one needs. */
const daysSeen = 7;
const daySeconds = 24 * 3_600;

export interface CountShare {
  readonly perDay: number;
  /** Whether a count that costs next to nothing is made at every capture. */
  readonly isFree: boolean;
}

/** The reads that a project may spend on counts a day: without a budget of its own, what half a percent of its documents costs. */
export const countShareOf = async (
  tenant: Tenant,
  {
    project,
    documents,
    auditDays,
    intervalSeconds,
    now,
  }: {
    readonly project: ProjectRecord;
    readonly documents: number;
    readonly auditDays: number;
    readonly intervalSeconds: number;
    readonly now: Date;
  },
): Promise<CountShare> => {
  const budget = budgetReads(project);
  const count = checkReadsOf(editionOf(project), documents);
  if (budget === undefined) return { perDay: count * checksPerDay, isFree: true };
  const days = await readDays(tenant, { projectId: project.id, days: daysSeen, now });
  const used = days.filter(({ reads }) => totalReads(reads) > 0);
  const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
  const allowance = allowanceOf({
    allDocuments: documents,
    changes: mean(used.map(({ reads }) => reads.changes)),
    fixed: mean(used.map(({ reads }) => reads.listing + reads.proofs + reads.bases + reads.backups)),
    count,
    cyclesPerDay: daySeconds / intervalSeconds,
    ...{ auditDays, budget },
  });
  return { perDay: allowance.counts, isFree: false };
};

/** The budget that is set, in reads; undefined if none is. */
export const budgetReads = (project: Pick<ProjectRecord, 'settings' | 'database'>): number | undefined => {
  const { readBudgetPerDay } = project.settings;
  if (readBudgetPerDay === undefined) return undefined;
  if ('documents' in readBudgetPerDay) return readBudgetPerDay.documents;
  return Math.floor((readBudgetPerDay.usd / projectReadPrice(project).usdPerMillion) * 1e6);
};
