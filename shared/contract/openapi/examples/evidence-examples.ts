/** Examples of the evidence of a restore test and of the report. */
import type * as z from 'zod/mini';
import { idPrefixes } from '../../ids.ts';
import type { ProtectionReport } from '../../models/protection-report.ts';
import type { RestoreTestReport, SignedEvidence } from '../../models/restore-test-evidence.ts';
import { sampleResourcesAt } from '../../samples/sample-resources.ts';
import { version } from '../../version.ts';
import { user } from './account-examples.ts';
import { backup } from './job-examples.ts';
import { organizationExample } from './organization-examples.ts';
import { exampleTime } from './request-examples.ts';

const { project, ago } = sampleResourcesAt(exampleTime);
const ulid = '01JZ8Q4V0M6T3X9C2B7N5K1HRD';
const now = exampleTime.toISOString();
const runId = `${idPrefixes.restoreTestRun}_${ulid}`;
const plan = { id: `${idPrefixes.restoreTest}_${ulid}`, name: 'Weekly' };
const keyId = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs';
const digest = 'q1Wm0Dq2V6hX3l0x4ZcYvOe0b8s1jO2nJmU0Yd5d3xA';
const object = `${project.id}/restore-tests/${runId}.json`;
const documents = 31_002;

const compared = { compared: true, reason: null, readTime: ago(3_600), documents, collections: 4, share: 1, differences: 0 };
const notCompared = { ...compared, compared: false, reason: 'Nothing was restored', readTime: null, documents: 0, share: 0 };

export const evidenceExample: z.output<typeof SignedEvidence> = {
  format: 'bms-restore-test-evidence',
  version: 1,
  service: { version, url: 'https://backups.example.com' },
  organization: { id: organizationExample.id, name: organizationExample.name },
  project: { id: project.id, name: project.name, source: 'projects/acme-shop/databases/(default)' },
  plan,
  run: { id: runId, trigger: 'scheduled', requestedBy: null, scheduledFor: ago(60), startedAt: ago(59), completedAt: now },
  result: 'passed',
  error: null,
  tested: {
    backupId: backup.id,
    pointInTime: null,
    readTime: ago(3_600),
    pick: 'random',
    days: 30,
    seed: 'mNwXF4W_7noWXFZAfHkxZg',
    candidates: 30,
  },
  scope: { type: 'all', documentsPerCollection: null },
  target: null,
  counts: { objects: 2, collections: 4, documents, authUsers: 0, decoded: documents, bytes: 18_400_112 },
  documentsWritten: null,
  collections: [{ id: 'orders', documents }],
  collectionsOmitted: 0,
  digests: {
    manifest: '3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b',
    documents: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  durations: { total: 59_000, read: 41_000, restore: null, compare: 17_000, check: null, remove: null },
  rtoSeconds: null,
  comparisons: { index: compared, source: compared, target: notCompared },
  warnings: [],
  differences: { total: 0, items: [] },
  check: null,
  removal: null,
  signature: { algorithm: 'RS256', keyId, publicKey: { kty: 'RSA', n: '0vx7agoebGcQSuuP…', e: 'AQAB' }, value: 'kzvWQ9Q…' },
};

const counted = {
  runs: 5,
  passed: 4,
  passedWithWarnings: 0,
  notProven: 0,
  failed: 0,
  cancelled: 1,
  unfinished: 0,
  backupsProven: 4,
  rto: { runs: 4, min: 41.2, median: 44.9, max: 58 },
};

export const reportExample: RestoreTestReport = {
  organization: { id: organizationExample.id, name: organizationExample.name },
  from: ago(30 * 24 * 3_600),
  to: now,
  generatedAt: now,
  generatedBy: { type: 'user', id: user.id, email: user.email },
  summary: { projects: 1, tested: 1, notTested: 0, failing: 0, ...counted },
  projects: [
    {
      projectId: project.id,
      projectName: project.name,
      connected: true,
      result: 'passed',
      ...counted,
      lastTestedAt: now,
      lastPassedAt: now,
      tests: [
        {
          runId,
          restoreTestId: plan.id,
          name: plan.name,
          status: 'passed',
          completedAt: now,
          backupId: backup.id,
          pointInTime: null,
          documents,
          documentsWritten: documents,
          differences: 0,
          error: null,
          warnings: [],
          rtoSeconds: 44.9,
          evidence: { object, digest, keyId },
        },
      ],
      testsOmitted: 3,
    },
  ],
};

const { organization, from, to, generatedAt, generatedBy, summary, projects } = reportExample;
const ended = { completed: 31, failed: 1, cancelled: 0, unfinished: 0 };
const change = { id: 'aud_01JZ8Q4V0M6T3X9C2B7N5K1HRD', at: now, by: generatedBy };

export const protectionReportExample: ProtectionReport = {
  organization,
  from,
  to,
  generatedAt,
  generatedBy,
  auditLogFrom: ago(90 * 24 * 3_600),
  backups: {
    ...ended,
    addedBytes: 1_234_567,
    projects: [
      {
        projectId: project.id,
        projectName: project.name,
        ...ended,
        addedBytes: 1_234_567,
        lastCompletedAt: now,
        locked: ended.completed,
        lockIncomplete: 0,
        lockedUntil: now,
      },
    ],
    failures: {
      items: [
        {
          backupId: backup.id,
          projectId: project.id,
          projectName: project.name,
          at: now,
          code: 'SOURCE_AUTH_ERROR',
          message: 'The service is not allowed to read the source project',
        },
      ],
      omitted: 0,
    },
  },
  restores: {
    completed: 1,
    failed: 0,
    cancelled: 0,
    unfinished: 0,
    items: [
      {
        restoreJobId: 'rst_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
        at: now,
        status: 'completed',
        mergeMode: 'overwrite',
        backupId: backup.id,
        projectName: project.name,
        targetProjectId: project.id,
        targetProjectName: project.name,
        written: 7,
        deleted: 0,
        undoOf: null,
        by: generatedBy,
        error: null,
      },
    ],
    omitted: 0,
  },
  restoreTests: { summary, projects },
  erasures: {
    items: [
      {
        ...change,
        action: 'erasure.created',
        resource: { type: 'erasure', id: 'era_01JZ8Q4V0M6T3X9C2B7N5K1HRD' },
        details: { projectId: project.id, reason: 'Request 4711' },
      },
    ],
    omitted: 0,
  },
  removals: {
    items: [{ ...change, action: 'backup.deleted', resource: { type: 'backup', id: backup.id }, details: {} }],
    omitted: 0,
  },
  changes: {
    items: [{ ...change, action: 'member.role_changed', resource: { type: 'member', id: user.id }, details: { role: 'admin' } }],
    omitted: 0,
  },
  retention: {
    schedules: {
      items: [
        {
          scheduleId: 'sch_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
          name: 'Nightly',
          projectId: project.id,
          projectName: project.name,
          cron: '0 3 * * *',
          timezone: 'Europe/Berlin',
          enabled: true,
          retention: '30 days',
        },
      ],
      omitted: 0,
    },
    storage: {
      items: [
        {
          storageDestinationId: 'dst_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
          name: 'Archive',
          type: 's3',
          bucket: 'web-shop-backups',
          status: 'connected',
          immutable: true,
          objectLock: { mode: 'compliance', days: 30 },
          encryption: null,
          backups: 31,
        },
      ],
      omitted: 0,
    },
  },
};
