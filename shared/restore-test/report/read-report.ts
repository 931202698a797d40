/** Reads all runs of a period, completely or not at all. */
import type { RestoreTestReport } from '../../contract/models/restore-test-evidence.ts';
import { iso, type Tenant, walk } from '../../platform/index.ts';
import { type ProjectRecord, projectPrefix, readProject } from '../../project/index.ts';
import { restoreTestKey, runPrefix } from '../model/record.ts';
import { readPeriod } from './read-period.ts';
import type { Period } from './report-period.ts';
import { countRuns, type ReportedRecord, reportAttributes, summarizeProjects } from './summarize-runs.ts';

/** Of up to 1 MB each. */
const readsMax = 100;

interface ReportRequest {
  readonly organization: { readonly id: string; readonly name: string };
  readonly generatedBy: RestoreTestReport['generatedBy'];
  readonly period: Period;
  readonly projectId?: string | undefined;
  readonly now: Date;
}

export const readReport = async (
  tenant: Tenant,
  { organization, generatedBy, period, projectId, now }: ReportRequest,
): Promise<RestoreTestReport> => {
  const connected = projectId === undefined ? await allProjects(tenant) : [await readProject(tenant, projectId)];
  const runs = await readRuns(tenant, period, projectId);
  const projects = summarizeProjects(connected, runs, period);
  const notTested = projects.filter(({ result }) => result === 'not_tested').length;
  return {
    organization: { id: organization.id, name: organization.name },
    from: iso(period.start),
    to: iso(period.end),
    generatedAt: iso(now),
    generatedBy,
    summary: {
      projects: projects.length,
      tested: projects.length - notTested,
      notTested,
      failing: projects.filter(({ result }) => result === 'failed').length,
      ...countRuns(runs),
    },
    projects: [...projects],
  };
};

const allProjects = async (tenant: Tenant): Promise<readonly Pick<ProjectRecord, 'id' | 'name' | 'createdAt'>[]> =>
  Array.fromAsync(
    walk<ProjectRecord>({
      pk: restoreTestKey.run(tenant, '').pk,
      prefix: projectPrefix,
      only: ['sk', 'id', 'name', 'createdAt'],
    }),
  );

const readRuns = (tenant: Tenant, period: Period, projectId: string | undefined): Promise<readonly ReportedRecord[]> =>
  readPeriod<ReportedRecord>({
    pk: restoreTestKey.run(tenant, '').pk,
    prefix: runPrefix,
    kind: 'restoreTestRun',
    period,
    only: reportAttributes,
    where: projectId === undefined ? {} : { projectId },
    readsMax,
    what: 'runs',
  });
