import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeEach, test } from 'vitest';
import { Fault, scriptAws } from '../../harness/aws/scripted-aws.ts';

Object.assign(process.env, {
  MAIL_FROM: 'Backups <backups@example.com>',
  PUBLIC_URL: 'https://backup.example.com',
  CONSOLE_URL: 'https://backup.example.com/console',
  PURGE_WORKFLOW_ARN: 'arn:aws:states:eu-central-1:000000000000:stateMachine:purge',
  BACKUP_WORKFLOW_ARN: 'arn:aws:states:eu-central-1:000000000000:stateMachine:backup',
  VERIFY_WORKFLOW_ARN: 'arn:aws:states:eu-central-1:000000000000:stateMachine:verify',
  RESTORE_WORKFLOW_ARN: 'arn:aws:states:eu-central-1:000000000000:stateMachine:restore',
});

const organizationId = 'org_01JWNVAV000000000000000000';
/** These items contain only strings and maps. */
const attributeOf = (value: unknown): unknown =>
  typeof value === 'string' ? { S: value } : { M: attributesOf(value as object) };
const attributesOf = (item: object): object =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, attributeOf(value)]));

const ids = (n: number) => `inv_01JWNVAV00000000000000000${n}`;
const organization = { pk: `ORG#${organizationId}`, sk: 'META', id: organizationId, name: 'Acme <b>' };
const invitation = (n: number, more: object = {}) => ({
  pk: `ORG#${organizationId}`,
  sk: `INVITE#${ids(n)}`,
  id: ids(n),
  email: `person${n}@example.com`,
  role: 'member',
  status: 'pending',
  expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  invitedBy: { id: 'usr_x', email: 'ann@example.com' },
  ...more,
});

let table: Record<string, unknown>[] = [];
let mailRefuses: (to: string) => boolean;
let started = new Set<string>();
/** SES requests have URL paths instead of action names. */
const sendEmail = '';
const aws = await scriptAws({
  TransactWriteItems: () => ({}),
  BatchGetItem: ({ RequestItems }) => {
    const { Keys } = (RequestItems as Record<string, { Keys: { pk: { S: string }; sk: { S: string } }[] }>).Table!;
    const found = table.filter(({ pk, sk }) => Keys.some((key) => key.pk.S === pk && key.sk.S === sk));
    return { Responses: { Table: found.map(attributesOf) } };
  },
  GetItem: ({ Key }) => {
    const { pk, sk } = Key as { readonly pk: { readonly S: string }; readonly sk: { readonly S: string } };
    const found = table.find((item) => item.pk === pk.S && item.sk === sk.S);
    return found ? { Item: attributesOf(found) } : {};
  },
  UpdateItem: () => ({ Attributes: { count: { N: '1' } } }),
  GetSecretValue: () => ({ SecretString: 'a secret of the deployment' }),
  [sendEmail]: (input) => {
    const [to] = (input.Destination as { ToAddresses: string[] }).ToAddresses;
    return mailRefuses(to!) ? new Fault('MessageRejected') : { MessageId: 'x' };
  },
  StartExecution: ({ name }) => {
    if (started.has(String(name))) return new Fault('ExecutionAlreadyExists');
    started.add(String(name));
    return { executionArn: 'x', startDate: 0 };
  },
});
afterAll(() => aws.stop());
const { handler } = await import('../../../functions/event/task.ts');

beforeEach(() => {
  table = [organization, ...[1, 2, 3, 4].map((n) => invitation(n))];
  mailRefuses = () => false;
  started = new Set();
  aws.calls.length = 0;
});

const taskId = 'tsk_01JWNVAV000000000000000000';
const message = (task: object, id = taskId) => JSON.stringify({ id, organizationId, task });
const send = (n: number) => message({ kind: 'send-invitation', invitationId: ids(n) });
const run = (...bodies: string[]) =>
  handler({ Records: bodies.map((body, n) => ({ messageId: `m${n}`, body })) } as SQSEvent).then(({ batchItemFailures }) =>
    batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort(),
  );
const mails = () =>
  aws.sent(sendEmail).map((input) => ({
    to: (input.Destination as { ToAddresses: string[] }).ToAddresses[0]!,
    body: JSON.stringify(input.Content),
  }));

test('task: an invitation e-mail contains the link, and user-supplied text is escaped', async () => {
  deepEqual(await run(send(1)), []);
  const [mail] = mails();
  equal(mail?.to, 'person1@example.com');
  match(mail.body, /https:\/\/backup\.example\.com\/console\/invitations\/[0-9A-Z]{26}\.[0-9A-Z]{26}\.[\w-]{43}/);
  ok(mail.body.includes('Acme &lt;b&gt;'));
});

test('task: without a configured sender no invitation is mailed or retried, because the API response has the link', async (t) => {
  const { MAIL_FROM } = process.env;
  t.onTestFinished(() => void Object.assign(process.env, { MAIL_FROM }));
  process.env.MAIL_FROM = '';
  deepEqual(await run(send(1)), []);
  deepEqual(mails(), []);
});

test('task: exactly the failed messages of a batch are retried: three refused e-mails and one that is not JSON', async () => {
  mailRefuses = (to) => /person[123]/.test(to);
  deepEqual(await run(send(1), send(4), '{', send(2), send(4), send(3)), ['m0', 'm2', 'm3', 'm5']);
});

test('task: if every message of a batch fails, each is reported', async () => {
  mailRefuses = () => true;
  deepEqual(await run(send(1), send(2)), ['m0', 'm1']);
});

for (const [what, change] of [
  ['cancelled', () => [organization, invitation(1, { status: 'cancelled' })]],
  ['accepted', () => [organization, invitation(1, { status: 'accepted' })]],
  ['expired', () => [organization, invitation(1, { expiresAt: '2020-01-01T00:00:00.000Z' })]],
  ['deleted', () => [organization]],
  ['of a deleted organization', () => [{ ...organization, deletedAt: '2025-01-01T00:00:00.000Z' }, invitation(1)]],
  ['of a purged organization', () => [invitation(1)]],
] as const) {
  test(`task: an invitation that is ${what} is not mailed or retried`, async () => {
    table = change();
    deepEqual(await run(send(1)), []);
    deepEqual(mails(), []);
  });
}

test('task: a task of an unknown kind is dropped', async () =>
  deepEqual(await run(message({ kind: 'make-coffee' }), '{}', '{"task":null}'), []));

test('task: an invalid task of a known kind fails', async () =>
  deepEqual(await run(message({ kind: 'send-invitation', invitationId: '../x' }), message({ kind: 'purge-organization' })), [
    'm0',
    'm1',
  ]));

test('task: a purge is started once, however often its task is delivered', async () => {
  const purge = message({ kind: 'purge-organization', deleteBackupData: false });
  deepEqual(await run(purge), []);
  deepEqual(await run(purge), []);
  deepEqual(
    aws.sent('StartExecution').map(({ name, input }) => [name, JSON.parse(String(input))]),
    Array(2).fill([taskId, { organizationId, deleteBackupData: false, done: false }]),
  );
});

const backupId = 'bkp_01JWNVAV000000000000000000';

test('task: a backup is started once, even by different tasks', async () => {
  const start = (id: string) => message({ kind: 'start-backup', backupId }, id);
  deepEqual(await run(start(taskId)), []);
  deepEqual(await run(start('tsk_01JWNVAV000000000000000001')), []);
  deepEqual(
    aws.sent('StartExecution').map(({ name, stateMachineArn, input }) => [name, stateMachineArn, JSON.parse(String(input))]),
    Array(2).fill([backupId, process.env.BACKUP_WORKFLOW_ARN, { organizationId, backupId }]),
  );
});

test('task: each attempt of a restore is started once, even by different tasks', async () => {
  const restoreJobId = 'rst_01JWNVAV000000000000000000';
  for (const [n, attempt] of [1, 1, 2].entries())
    deepEqual(await run(message({ kind: 'start-restore', restoreJobId, attempt }, `${taskId.slice(0, -1)}${n}`)), []);
  deepEqual(
    aws.sent('StartExecution').map(({ name, stateMachineArn, input }) => [name, stateMachineArn, JSON.parse(String(input))]),
    [1, 1, 2].map((attempt) => [
      `${restoreJobId}-${attempt}`,
      process.env.RESTORE_WORKFLOW_ARN,
      { organizationId, restoreJobId, attempt },
    ]),
  );
});

test('task: every verification request starts its own verification', async () => {
  deepEqual(await run(message({ kind: 'start-verification', backupId })), []);
  const [{ name, stateMachineArn, input } = {}] = aws.sent('StartExecution');
  deepEqual([name, stateMachineArn], [taskId, process.env.VERIFY_WORKFLOW_ARN]);
  const { organizationId: of, backupId: which, done } = JSON.parse(String(input));
  deepEqual([of, which, done], [organizationId, backupId, false]);
});

test('task: a bucket task on the task queue fails, because the worker lacks its permissions', async () => {
  const walk = message({ kind: 'rewrap-keys', walk: 'x' });
  const ids = { webhookId: 'whk_01JWNVAV000000000000000000', deliveryId: 'dlv_01JWNVAV000000000000000000' };
  const attempt = message({ kind: 'deliver', ...ids, attempt: 1 });
  deepEqual(await run(message({ kind: 'erase-backup', backupId }), walk, attempt, send(1)), ['m0', 'm1', 'm2']);
  equal(mails().length, 1);
});

test('task: the owner gets an e-mail when the service disables a webhook', async () => {
  const [webhookId, ownerId] = ['whk_01JWNVAV000000000000000000', 'usr_01JWNVAV000000000000000000'];
  const disabled = { reason: 'gone', at: '2026-03-01T10:00:00.000Z', failingSince: '2026-03-01T10:00:00.000Z' };
  const webhook = {
    pk: organization.pk,
    sk: `WEBHOOK#${webhookId}`,
    id: webhookId,
    name: 'Pager',
    url: 'https://example.com/x',
    disabled,
  };
  table = [{ ...organization, ownerId }, webhook, { pk: `USER#${ownerId}`, sk: 'PROFILE', email: 'owner@example.com' }];
  deepEqual(await run(message({ kind: 'notify-webhook-disabled', webhookId })), []);
  deepEqual(
    mails().map(({ to }) => to),
    ['owner@example.com'],
  );
  deepEqual(aws.sent('TransactWriteItems').length, 1, 'its incident was opened');
});
