import type { Tenant } from '../../platform/index.ts';
import { editionOf, type ProjectRecord, projectReadPrice, readDays, totalReads } from '../../project/index.ts';
import { type Allowance, allowanceOf } from './allowance.ts';
import { checkReadsOf } from './forecast-reads.ts';

/** What the days before used tells what this one needs. */
const daysSeen = 7;
const daySeconds = 24 * 3_600;

export interface BudgetedProject {
  readonly project: ProjectRecord;
  readonly documents: number;
  readonly auditDays: number;
  readonly intervalSeconds: number;
  readonly now: Date;
}

/** What the budget of the project leaves for counts and for the audit of a day; undefined if none is set. */
export const dailyAllowanceOf = async (
  tenant: Tenant,
  { project, documents, auditDays, intervalSeconds, now }: BudgetedProject,
): Promise<Allowance | undefined> => {
  const budget = budgetReads(project);
  if (budget === undefined) return undefined;
  const days = await readDays(tenant, { projectId: project.id, days: daysSeen, now });
  const used = days.filter(({ reads }) => totalReads(reads) > 0);
  const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
  return allowanceOf({
    allDocuments: documents,
    changes: mean(used.map(({ reads }) => reads.changes)),
    fixed: mean(used.map(({ reads }) => reads.listing + reads.proofs + reads.bases + reads.backups)),
    count: checkReadsOf(editionOf(project), documents),
    cyclesPerDay: daySeconds / intervalSeconds,
    ...{ auditDays, budget },
  });
};

/** The budget that is set, in reads; undefined if none is. */
export const budgetReads = (project: Pick<ProjectRecord, 'settings' | 'database'>): number | undefined => {
  const { readBudgetPerDay } = project.settings;
  if (readBudgetPerDay === undefined) return undefined;
  if ('documents' in readBudgetPerDay) return readBudgetPerDay.documents;
  return Math.floor((readBudgetPerDay.usd / projectReadPrice(project).usdPerMillion) * 1e6);
};
