import assert from 'node:assert/strict';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { type TestContext, test } from 'vitest';
import { openSes, sesRoutes } from '../../../../infra/local/engines/ses.ts';
import { restService } from '../../../../infra/local/engines/shared/aws-protocols.ts';
import { account, allow, frontOf, region, tempDir } from '../../../harness/aws/embedded-aws.ts';

const identity = (name: string) => `arn:aws:ses:${region}:${account}:identity/${name}`;

const start = async (t: TestContext) => {
  const dir = tempDir(t);
  const engine = openSes({ dir, region, account });
  const { client } = await frontOf(t, {
    services: { ses: restService(sesRoutes, engine) },
    callers: {
      ByDomain: [allow('ses:SendEmail', identity('example.com'))],
      ByAddress: [allow('ses:SendEmail', identity('no-reply@example.com'))],
      Elsewhere: [allow('ses:SendEmail', identity('example.org'))],
    },
  });
  const send = (name: string | undefined, subject: string, to = ['ada@example.net']) =>
    new SESv2Client(client(name)).send(
      new SendEmailCommand({
        FromEmailAddress: 'Backups <no-reply@example.com>',
        Destination: { ToAddresses: to },
        Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: 'text' }, Html: { Data: '<p>html</p>' } } } },
      }),
    );
  return { dir, send, outbox: engine.outbox };
};

test('ses: a sent e-mail is in the outbox, newest first, also after a restart', async (t) => {
  const { dir, send, outbox } = await start(t);
  await send(undefined, 'first');
  const { MessageId } = await send(undefined, 'second');
  assert.deepEqual(
    outbox().map(({ subject }) => subject),
    ['second', 'first'],
  );
  const [{ sentAt, ...mail }] = openSes({ dir, region, account }).outbox() as [ReturnType<typeof outbox>[number]];
  assert.ok(Date.parse(sentAt) > 0);
  assert.deepEqual(mail, {
    id: MessageId,
    from: 'Backups <no-reply@example.com>',
    to: ['ada@example.net'],
    subject: 'second',
    text: 'text',
    html: '<p>html</p>',
  });
});

test('ses: a grant on the address or its domain allows sending, one on another domain does not', async (t) => {
  const { send, outbox } = await start(t);
  await send('ByDomain', 'a');
  await send('ByAddress', 'b');
  await assert.rejects(send('Elsewhere', 'c'), { name: 'AccessDeniedException' });
  assert.equal(outbox().length, 2);
});

test('ses: an e-mail without recipients is rejected', async (t) => {
  const { send, outbox } = await start(t);
  await assert.rejects(send(undefined, 'a', []), { name: 'BadRequestException' });
  assert.equal(outbox().length, 0);
});
