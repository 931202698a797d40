import type * as z from 'zod/mini';
import type { AlertDigest } from '../../contract/models/alert-digest.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import { readOverview, type WholeOverview } from '../../overview/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { digestPeriod } from './digest-week.ts';

/** The facts of a digest, without its text. */
export type DigestFacts = Omit<z.input<typeof AlertDigest>, 'subject' | 'text'>;

/** What the digest says of an organization: the overview of now, and its history of the seven whole days before `dueAt`. */
export const readDigest = async (
  tenant: Tenant,
  {
    organization,
    now,
    dueAt = now,
  }: { readonly organization: OrganizationRecord; readonly now: Date; readonly dueAt?: Date | undefined },
): Promise<DigestFacts> => digestOf(await readOverview(tenant, { organization, incidents: [], now }), dueAt);

const digestOf = ({ at, totals, projects, failedJobs, history }: WholeOverview, dueAt: Date): DigestFacts => {
  const { from, to } = digestPeriod(dueAt);
  const days = history.days.filter(({ date }) => date >= from && date <= to);
  const before = history.days.findLast(({ date }) => date < from);
  const sum = (numberOf: (day: WholeOverview['history']['days'][number]) => number): number =>
    days.reduce((total, day) => total + numberOf(day), 0);
  const storedBytes = days.at(-1)?.storedBytes ?? totals.storedBytes;
  return {
    at,
    from,
    to,
    totals: {
      projects: totals.projects,
      protected: totals.protected,
      atRisk: totals.atRisk,
      unprotected: totals.unprotected,
    },
    projects: projects
      .map((project) => ({
        id: project.id,
        name: project.name,
        protection: project.protection,
        reasons: project.reasons,
        lastGoodBackupAt: project.lastGoodBackup?.completedAt ?? null,
        lastVerification: project.lastVerification,
        lastRestoreTest: project.lastRestoreTest,
        lastRestore: project.lastRestore,
        nextRun: project.nextRun,
      }))
      .sort((a, b) => ranks[a.protection] - ranks[b.protection] || a.name.localeCompare(b.name)),
    backups: {
      completed: sum(({ backups }) => backups),
      failed: sum(({ failed }) => failed),
      addedBytes: sum(({ addedBytes }) => addedBytes),
    },
    storage: { storedBytes, changeBytes: storedBytes - (before?.storedBytes ?? 0) },
    cost: {
      reads: sum(({ cost }) => cost.reads),
      estimatedUsd: Math.round(sum(({ cost }) => cost.estimatedUsd) * 1e6) / 1e6,
    },
    failedJobs,
    complete: history.complete || history.from.slice(0, 10) < from,
  };
};

/** The least protected first. */
const ranks = { unprotected: 0, at_risk: 1, protected: 2 } as const;
