import { deepEqual, equal, rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { MemoryStore, type ObjectStore, StorageError } from '../../../../shared/destination/index.ts';
import { newId } from '../../../../shared/platform/index.ts';
import { PartWriter } from '../../../../shared/stored-backup/write/part-writer.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

const identity = { organization: newId('organization'), project: newId('project'), backup: newId('backup') };
const writerOf = (store: ObjectStore): PartWriter => {
  const part = new PartWriter(store, { number: 0, part: 0, identity, dataKey: randomBytes(32), random: randomBytes, put: {} });
  part.user('ada', Buffer.from('{}'));
  return part;
};

test('part writer: the parts carry the checksums that the store reports', async () => {
  const store = new MemoryStore();
  const stored = await writerOf(store).finish();
  const reported = async (name: string) => (await store.head(name))?.checksums;
  deepEqual([stored?.checksums?.chunk], await reported('chunk/00000000-0000'));
  deepEqual([stored?.checksums?.index], await reported('index/00000000-0000'));
});

test('part writer: if one upload fails, the other is aborted before the error is thrown', async () => {
  const inner = new MemoryStore();
  const ended: string[] = [];
  const store: ObjectStore = {
    ...bound(inner),
    upload: (name, options) => {
      const upload = inner.upload(name, options);
      return {
        write: (pieces) => upload.write(pieces),
        finish: async () => {
          if (name.startsWith('chunk/')) throw new StorageError('denied', 'The store refused.');
          await pause(50);
          try {
            return await upload.finish();
          } finally {
            ended.push(name);
          }
        },
        abort: () => upload.abort(),
      };
    },
  };
  await rejects(writerOf(store).finish(), { message: 'The store refused.' });
  deepEqual([ended, [...inner.objects.keys()]], [['index/00000000-0000'], []]);
  equal(await inner.abortUnfinishedUploads(''), 0);
});
