/** The simple format, byte for byte: exactly the documented fields. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'vitest';
import { type EventName, eventNames, simpleEventNames } from '../../../../shared/contract/events/event-names.ts';
import { simpleEvents } from '../../../../shared/contract/events/simple-events.ts';
import { composeRequest } from '../../../../shared/webhook/request/compose-request.ts';
import { firstAttempt, sampleOf, secretsOf, webhookOf } from '../../../harness/builders/sample-webhook.ts';
import { strictCopy } from '../../../harness/builders/strict-copy.ts';

process.env.SERVICE_VERSION = '9.8.7';

const generated = 'whsec_qWl3kL0bZyqPHh3a0q6vXb6yJb9h8JQ2mW9v3n1sT0c=';
const own = 'a secret of our own';
const simple = webhookOf('simple');
const hmac = (key: string, text: string | Buffer): string => `sha256=${createHmac('sha256', key).update(text).digest('hex')}`;

const compose = (name: EventName, secrets = secretsOf(own)) =>
  composeRequest(simple, { secrets, event: sampleOf(name), attempt: firstAttempt() });
const dataOf = (name: EventName) => (JSON.parse(compose(name).body) as { data: Record<string, unknown> }).data;
const [project, person] = ['prj_01JZ8Q4V0M6T3X9C2B7N5K1HRD', 'usr_01JZ8Q4V0M6T3X9C2B7N5K1HRD'];

test('simple format: the request has exactly the documented headers, and the signature covers only the body', () => {
  const { headers, body } = compose('backup.completed');
  assert.deepEqual(headers, {
    'User-Agent': 'Backup-Management-Service/9.8.7',
    'Content-Type': 'application/json',
    'X-Webhook-Event': 'backup.completed',
    'X-Webhook-Timestamp': '2026-03-01T10:00:00.250Z',
    'X-Webhook-Id': simple.id,
    'X-Webhook-Signature': hmac(own, Buffer.from(body)),
  });
  assert.deepEqual(Object.keys(JSON.parse(body) as object), ['event', 'timestamp', 'data']);
});

test('simple format: a test delivery says so in a header', () => {
  const { headers } = composeRequest(simple, {
    secrets: secretsOf(own),
    event: sampleOf('backup.completed'),
    attempt: { ...firstAttempt(), isTest: true },
  });
  assert.equal(headers['X-Webhook-Test'], 'true');
});

test('simple format: a request is unsigned without a secret, and signed with both secrets during a rotation', () => {
  const unsigned = compose('backup.failed', secretsOf(undefined)).headers;
  assert.equal(
    Object.keys(unsigned).some((name) => name.includes('Signature')),
    false,
  );
  const { headers, body } = compose('backup.failed', secretsOf(own, generated));
  assert.equal(headers['X-Webhook-Signature'], hmac(own, body));
  assert.equal(headers['X-Webhook-Signature-Previous'], hmac(generated, body));
});

test('simple format: backup.started and backup.completed have the documented fields, durations in seconds', () => {
  const completed = {
    backupId: 'bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
    projectId: project,
    projectName: 'Web shop',
    type: 'full',
    status: 'completed',
    documentsCount: 48_213,
    collectionsCount: 3,
    originalSize: 187_429_376,
    compressedSize: 41_236_480,
    duration: 94,
    triggeredBy: 'scheduled',
    scheduleId: 'sch_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
    createdAt: '2026-03-01T09:58:23.940Z',
    completedAt: '2026-03-01T10:00:00.250Z',
  };
  assert.deepEqual(dataOf('backup.completed'), completed);
  assert.deepEqual(dataOf('backup.started'), {
    ...completed,
    ...{ status: 'running', documentsCount: 0, collectionsCount: 0, originalSize: 0, compressedSize: 0, duration: null },
    ...{ createdAt: '2026-03-01T09:59:58.250Z', completedAt: null },
  });
});

test('simple format: backup.failed has the error as text and the time of the failure', () =>
  assert.deepEqual(dataOf('backup.failed'), {
    backupId: 'bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
    projectId: project,
    projectName: 'Web shop',
    type: 'full',
    status: 'failed',
    error: 'The backup exceeded its timeout of 30 minutes',
    triggeredBy: 'scheduled',
    scheduleId: 'sch_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
    createdAt: '2026-03-01T09:29:58.250Z',
    failedAt: '2026-03-01T10:00:00.250Z',
  }));

test('simple format: restore events have exactly the documented fields', () => {
  const completed = {
    restoreJobId: 'rst_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
    backupId: 'bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
    projectId: project,
    projectName: 'Web shop',
    targetProjectId: project,
    targetProjectName: 'Web shop',
    status: 'completed',
    documentsRestored: 48_213,
    collectionsRestored: 3,
    mergeMode: 'overwrite',
    duration: 71,
    createdAt: '2026-03-01T09:58:47.250Z',
    completedAt: '2026-03-01T10:00:00.250Z',
  };
  assert.deepEqual(dataOf('restore.completed'), completed);
  for (const name of ['restore.started', 'restore.failed'] as const)
    assert.deepEqual(Object.keys(dataOf(name)), Object.keys(completed));
});

test('simple format: schedule events have exactly the documented fields', () => {
  const updated = {
    scheduleId: 'sch_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
    name: 'Every night',
    projectId: project,
    projectName: 'Web shop',
    cronExpression: '0 3 * * *',
    timezone: 'Europe/Berlin',
    enabled: true,
    nextRunAt: '2026-03-01T16:00:00.250Z',
    createdBy: { id: person, email: 'ada@example.com' },
  };
  assert.deepEqual(dataOf('schedule.updated'), updated);
  assert.deepEqual(dataOf('schedule.created'), updated);
  assert.deepEqual(dataOf('schedule.deleted'), { ...updated, enabled: false, nextRunAt: null });
});

test('simple format: every event matches its strict contract schema', () => {
  for (const name of simpleEventNames) assert.deepEqual(strictCopy(simpleEvents[name]).parse(dataOf(name)), dataOf(name));
});

test('simple format: an event outside its nine is refused', () => {
  for (const name of eventNames.filter((one) => !(simpleEventNames as readonly string[]).includes(one)))
    assert.throws(() => compose(name), /does not exist in the simple format/);
});
