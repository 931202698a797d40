/** Examples of restore tests. */
import type * as z from 'zod/mini';
import type { Comparison, Difference, RestoreTest, RestoreTestRun } from '../../models/restore-test.ts';
import { sampleResourcesAt } from '../../samples/sample-resources.ts';
import { exampleTime } from './request-examples.ts';

const { restoreTestRun: run, person, ago } = sampleResourcesAt(exampleTime);

export const restoreTestRun: RestoreTestRun = run;

export const comparison: z.output<typeof Comparison> = {
  compared: true,
  reason: null,
  readTime: run.readTime,
  documents: run.counts?.documents ?? 0,
  collections: 3,
  share: 1,
  differences: 0,
};

export const difference: z.output<typeof Difference> = {
  path: 'orders/1042',
  kind: 'changed',
  against: 'target',
  message: 'The fields of the document differ',
};

export const restoreTest: z.output<typeof RestoreTest> = {
  id: run.restoreTestId,
  name: run.name,
  projectId: run.projectId,
  cron: '0 5 1 * *',
  timezone: 'Europe/Berlin',
  backup: run.backup,
  scope: run.scope,
  target: run.target && { projectId: run.target.projectId },
  check: { url: 'https://checks.example.com/********', secret: '********', timeoutSeconds: 300 },
  enabled: true,
  nextRunAt: ago(-30 * 24 * 3_600),
  lastRunAt: ago(242),
  lastOutcome: { status: 'passed', at: ago(0), runId: run.id, error: null },
  createdBy: person,
  createdAt: ago(90 * 24 * 3_600),
  updatedAt: ago(90 * 24 * 3_600),
};
