/** Committed events are delivered despite crashes: a kill -9 of the stage, or a message that cannot be processed. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as sqs from '@aws-sdk/client-sqs';
import { afterAll, test } from 'vitest';
import { invites } from '../../../shared/contract/endpoints/invitations.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { eventKey } from '../../../shared/event/index.ts';
import { newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { webhookKey } from '../../../shared/webhook/model/record.ts';
import { startKillableStage } from '../../harness/faults/killable-stage.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { newEmail } from '../../harness/stage/person.ts';
import { type ReceivedRequest, startReceiver } from '../../harness/stage/receiver.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

const dir = mkdtempSync(join(tmpdir(), 'stage-'));
let stage = await startKillableStage(dir);
const receiver = await startReceiver();
afterAll(async () => {
  await stage.kill();
  await receiver.stop();
  rmSync(dir, { recursive: true, force: true });
});
const organization = await newOrganization();
const by = { token: organization.owner.accessToken, org: organization.id };

const create = async (path: string, event = 'organization.updated') => {
  // A killed function blocks its attempt for this timeout plus 15 s.
  const body = { name: path, url: receiver.url(path), events: [event], timeout: 10_000 };
  const answer = await call(webhooks.create, { ...by, body });
  equal(answer.status, 201, answer.text);
  return answer.body.data.id;
};
const change = async (name: string): Promise<void> => {
  const answer = await call(organizations.update, { ...by, body: { name } });
  equal(answer.status, 200, answer.text);
};
const remove = async (webhookId: string): Promise<void> => {
  equal((await call(webhooks.remove, { ...by, params: { webhookId } })).status, 200);
};
const deliveriesOf = async (webhookId: string) => {
  const answer = await call(webhooks.deliveries, { ...by, params: { webhookId } });
  equal(answer.status, 200, answer.text);
  return answer.body.data.deliveries;
};

/** Waits until this many deliveries of a webhook have succeeded. */
const delivered = async (webhookId: string, count: number) => {
  for (;;) {
    const deliveries = await deliveriesOf(webhookId);
    if (deliveries.filter(({ status }) => status === 'delivered').length >= count) return deliveries;
    await pause(250);
  }
};

interface Told {
  readonly id: string;
  readonly data: { readonly organization: { readonly name: string } };
  readonly metadata: { readonly attempt: number; readonly deliveryId: string };
}
const toldBy = ({ body }: ReceivedRequest): Told => JSON.parse(body.toString());
const at = (path: string) => receiver.requests.filter((heard) => heard.path === path).map(toldBy);
/** Includes a restart, which takes a while on a busy machine. */
const patienceMs = 300_000;
const attemptAt = async (path: string, attempt: number): Promise<Told> =>
  toldBy(await receiver.next((heard) => heard.path === path && toldBy(heard).metadata.attempt === attempt, patienceMs));

test('delivery: an event survives a crash before its delivery and is delivered once per webhook under one id', async () => {
  receiver.answer('/hangs', 'hang');
  receiver.answer('/fails', { status: 500 });
  const fails = await create('/fails');
  await change('Zero');
  const third = await attemptAt('/fails', 3);
  // Now its fourth attempt waits in the Scheduler. The other webhook comes last, because the stage is killed before its timeout.
  const hangs = await create('/hangs');
  await change('One');
  const cutOff = await attemptAt('/hangs', 1);
  await change('Two');
  await stage.kill();
  receiver.answer('/hangs', { status: 200 });
  stage = await startKillableStage(dir, stage.ports);

  const deliveries = await delivered(hangs, 2);
  deepEqual(
    deliveries.map(({ status, attempts }) => [status, attempts]),
    [
      ['delivered', 1],
      ['delivered', 1],
    ],
  );
  const ids = new Map(at('/hangs').map(({ data, metadata }) => [metadata.deliveryId, data.organization.name]));
  deepEqual([...ids.values()].sort(), ['One', 'Two'], 'an event has one id for this webhook, however often it came');
  deepEqual(deliveries.map(({ id }) => id).sort(), [...ids.keys()].sort());
  equal(ids.get(cutOff.metadata.deliveryId), 'One');

  const isFourth = ({ attempt, deliveryId }: Told['metadata']) => attempt === 4 && deliveryId === third.metadata.deliveryId;
  await receiver.next((heard) => heard.path === '/fails' && isFourth(toldBy(heard).metadata), patienceMs);
  equal((await deliveriesOf(fails)).length, 3);
  await Promise.all([hangs, fails].map(remove));
});

/** The queues of the running stage and their dead-letter queues. */
const queuesNow = () => {
  const queues = new sqs.SQSClient({
    endpoint: stageVariable('STAGE_AWS_URL'),
    region: stageVariable('STAGE_REGION'),
    credentials: { accessKeyId: stageVariable('STAGE_AWS_KEY'), secretAccessKey: 'local' },
  });
  const deadLettersOf = async (QueueUrl: string) => {
    const asked = new sqs.GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
    const { RedrivePolicy = '' } = (await queues.send(asked)).Attributes ?? {};
    const { deadLetterTargetArn: deadArn } = JSON.parse(RedrivePolicy) as { readonly deadLetterTargetArn: string };
    return { deadArn, deadUrl: QueueUrl.replace(/[^/]+$/, deadArn.split(':').at(-1) ?? '') };
  };
  const received = async (QueueUrl: string, count: number): Promise<readonly sqs.Message[]> => {
    // By id: one that was received half a minute ago comes again.
    const messages = new Map<string | undefined, sqs.Message>();
    for (const endMs = Date.now() + patienceMs; messages.size < count; ) {
      ok(Date.now() < endMs, `${messages.size} dead letters`);
      const { Messages = [] } = await queues.send(
        new sqs.ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5, MaxNumberOfMessages: 10 }),
      );
      for (const message of Messages) messages.set(message.MessageId, message);
    }
    return [...messages.values()];
  };
  return { queues, deadLettersOf, received };
};

test('delivery: a poison message goes to the dead-letter queue alone, and a redrive delivers it after the repair', async () => {
  const { queues, deadLettersOf, received } = queuesNow();
  // Deliveries to new endpoints use this queue.
  const QueueUrl = stage.deliveryRetryQueueUrl;
  const { deadArn, deadUrl } = await deadLettersOf(QueueUrl);

  const [good, broken] = [await create('/good'), await create('/broken', 'invitation.created')];
  const key = webhookKey.webhook(unsafeTenant(organization.id, 'record'), broken);
  const whole = await getItem(key);
  ok(whole);
  await putItem({ ...whole, sealedSecret: Buffer.from('not sealed at all') });
  const invited = await call(invites.create, { ...by, body: { email: newEmail(), role: 'viewer' } });
  equal(invited.status, 201, invited.text);
  await queues.send(new sqs.SendMessageCommand({ QueueUrl, MessageBody: 'poison' }));
  for (let n = 0; n < 9; n++) await change(String(n));
  equal((await delivered(good, 9)).length, 9);
  deepEqual(
    at('/good')
      .map(({ data }) => data.organization.name)
      .sort(),
    Array.from({ length: 9 }, (_, n) => String(n)),
    'each of them once',
  );

  const dead = await received(deadUrl, 2);
  deepEqual(at('/broken'), []);
  const [stuck] = await deliveriesOf(broken);
  equal(stuck?.status, 'attempting');
  // An unreadable message is deleted by hand; the others are redriven after the repair.
  for (const { Body, ReceiptHandle } of dead) {
    const message = { QueueUrl: deadUrl, ReceiptHandle };
    if (Body === 'poison') await queues.send(new sqs.DeleteMessageCommand(message));
    else await queues.send(new sqs.ChangeMessageVisibilityCommand({ ...message, VisibilityTimeout: 0 }));
  }
  deepEqual(dead.map(({ Body }) => Body === 'poison').sort(), [false, true]);
  await putItem(whole);
  await queues.send(new sqs.StartMessageMoveTaskCommand({ SourceArn: deadArn }));
  equal((await attemptAt('/broken', 1)).metadata.deliveryId, stuck?.id);
  equal((await delivered(broken, 1))[0]?.attempts, 1);
});

test('delivery: an unreadable event goes to the dead-letter queue alone, and a redrive delivers it after the repair', async () => {
  const tenant = unsafeTenant(organization.id, 'record');
  const { queues, deadLettersOf, received } = queuesNow();
  const { deadArn, deadUrl } = await deadLettersOf(stage.eventMatchQueueUrl);
  const id = await create('/told');
  await change('Before');
  const whole = await getItem(eventKey(tenant, (await attemptAt('/told', 1)).id));
  ok(whole);
  const eventId = newId('event');
  const repaired = { ...whole, ...eventKey(tenant, eventId), id: eventId };
  await putItem({ ...repaired, type: 'coffee.made' });
  await change('After');
  await delivered(id, 2);
  const [letter, ...others] = await received(deadUrl, 1);
  deepEqual((JSON.parse(letter?.Body ?? '') as { task: object }).task, { kind: 'match-event', eventId });
  deepEqual(others, []);
  equal((await deliveriesOf(id)).length, 2);
  await putItem(repaired);
  const message = { QueueUrl: deadUrl, ReceiptHandle: letter?.ReceiptHandle };
  await queues.send(new sqs.ChangeMessageVisibilityCommand({ ...message, VisibilityTimeout: 0 }));
  await queues.send(new sqs.StartMessageMoveTaskCommand({ SourceArn: deadArn }));
  equal((await delivered(id, 3)).filter((delivery) => delivery.eventId === eventId).length, 1);
});
