import { deepEqual, equal, fail, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { readTask } from '../../../shared/event/index.ts';
import { queueOf } from '../../../shared/event/task-queues.ts';
import { newId } from '../../../shared/platform/index.ts';

const message = (task: object): string => JSON.stringify({ id: newId('task'), organizationId: newId('organization'), task });

/** Queues, outbox items and Scheduler entries still hold messages of earlier versions. */
const renamed = [
  ['tell-disabled', 'notify-webhook-disabled', { webhookId: newId('webhook') }, 'task'],
  ['match', 'match-event', { eventId: newId('event') }, 'eventMatch'],
  ['tick', 'run-schedule', { scheduleId: newId('schedule'), at: '2025-06-01T00:00:00.000Z' }, 'schedule'],
  ['forget-captures', 'expire-captures', { projectId: newId('project') }, 'bucketWork'],
  ['settle-move', 'finish-move', { projectId: newId('project'), moveId: 'mov_x' }, 'bucketWork'],
] as const;
for (const [earlier, kind, fields, queue] of renamed)
  test(`readTask: the earlier kind ${earlier} is read as ${kind}`, () => {
    const { task } = readTask(message({ kind: earlier, ...fields })) ?? fail();
    deepEqual(task, { kind, ...fields });
    deepEqual(readTask(message({ kind, ...fields }))?.task, task);
    equal(queueOf(task), queue);
  });

test('readTask: an unknown kind is undefined, and an incomplete message throws', () => {
  for (const kind of ['make-coffee', 'constructor', 'toString']) equal(readTask(message({ kind })), undefined);
  equal(readTask('{}'), undefined);
  throws(() => readTask(message({ kind: 'tick' })));
  throws(() => readTask(message({ kind: 'run-schedule' })));
});
