/** SQS does not accept every character, so tasks are encoded and must be decoded unchanged. */
import { deepEqual, match } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { enqueue, readTask } from '../../../shared/event/index.ts';
import { newId, type Tenant } from '../../../shared/platform/index.ts';
import { anyCharacter } from '../../harness/builders/any-character.ts';

const tenant = { organizationId: newId('organization') } as unknown as Tenant;

test('outbox: a task with any name is printable ASCII and reads back unchanged', () =>
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: anyCharacter })), (deletedProjectName) => {
      const task = { kind: 'sync-schedules', projectId: newId('project'), deletedProjectName } as const;
      const write = enqueue(tenant, task, new Date(0));
      const message = 'put' in write ? String(write.put.message) : '';
      match(message, /^[\x20-\x7e]+$/);
      deepEqual(readTask(message)?.task, task);
    }),
    { examples: [['\uffff'], ['🧪'], ['\u0000'], ['\ud800'], ['"\\']] },
  ));
