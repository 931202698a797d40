/** A batch holds all changes of concurrent streams, however slow the store is, and is verified after the upload. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setImmediate as soon } from 'node:timers/promises';
import { test } from 'vitest';
import { readChunk } from '../../../../shared/archive/index.ts';
import { MemoryStore, type ObjectStore, StorageError } from '../../../../shared/destination/index.ts';
import { PartBuffer } from '../../../../shared/destination/store/part-buffer.ts';
import { ChangeBatchWriter } from '../../../../shared/pitr/batch/change-batch-writer.ts';

const identity = { organization: 'o', project: 'p', backup: 'b' };
const dataKey = randomBytes(32);
const partBytes = 256 << 10;

/** Like real store clients: buffers parts, with at most two in flight. */
const waitingStore = (): ObjectStore & { readonly objects: MemoryStore['objects'] } => {
  const memory = new MemoryStore();
  const upload: ObjectStore['upload'] = (name) => {
    const gatherer = new PartBuffer(partBytes);
    const parts: Uint8Array[] = [];
    return {
      write: async (pieces) => {
        for (const part of gatherer.add(pieces)) {
          parts.push(part);
          await soon();
        }
      },
      finish: async () => {
        const bytes = Buffer.concat([...parts, gatherer.rest()]);
        memory.objects.set(name, bytes);
        return { size: bytes.length };
      },
      abort: async () => undefined,
    };
  };
  return Object.assign(Object.create(memory) as MemoryStore, {
    upload,
    get: memory.get.bind(memory),
    head: memory.head.bind(memory),
  });
};

const writing = (store: ObjectStore) => {
  const opened = { count: 0 };
  const openStore = async (): Promise<ObjectStore> => {
    opened.count += 1;
    await soon();
    return store;
  };
  const signal = AbortSignal.timeout(600_000);
  return { opened, writer: new ChangeBatchWriter({ identity, dataKey, random: randomBytes, signal, openStore }) };
};

const fill = (writer: ChangeBatchWriter, names = 1_100): void => {
  for (let n = 0; n < names; n++)
    writer.tombstone(`projects/p/documents/c/${randomBytes(1_100).toString('base64url')}`, 1_700_000_000_000_000 + n);
};

test('batch writer: concurrent streams open one store and produce a readable object', async () => {
  const store = waitingStore();
  const { writer, opened } = writing(store);
  const stream = async (): Promise<void> => {
    for (let times = 0; times < 4; times++) {
      fill(writer);
      await writer.drain();
    }
  };
  await Promise.all([stream(), stream()]);
  const entry = await writer.finish();
  await writer.close();
  assert.equal(opened.count, 1);
  let records = 0;
  const bytes = store.objects.get(entry!.name)!;
  for await (const { leaf } of readChunk([bytes], { identity, name: entry!.name, dataKey, entry: entry! })) records += leaf.count;
  assert.equal(records, writer.changes);
});

test('batch writer: after a failed write all later writes fail', async () => {
  const store = new MemoryStore();
  let fails = true;
  const upload: ObjectStore['upload'] = (name) => {
    const real = MemoryStore.prototype.upload.call(store, name);
    return {
      ...real,
      write: async (pieces) => {
        if (fails) throw new StorageError('unavailable', 'later');
        return real.write(pieces);
      },
    };
  };
  const { writer } = writing(Object.assign(Object.create(store) as MemoryStore, { upload }));
  fill(writer, 2_500);
  await assert.rejects(writer.drain(), /later/);
  fails = false;
  fill(writer, 2_500);
  await assert.rejects(writer.drain(), /later/);
  await assert.rejects(writer.finish(), /later/);
  await writer.close();
  await assert.rejects(writer.finish());
  assert.equal(store.objects.size, 0);
});

test('batch writer: refuses a stored object of the right size with other bytes', async () => {
  const store = new MemoryStore();
  const get: ObjectStore['get'] = async (...all) => {
    const bytes = await MemoryStore.prototype.get.call(store, ...all);
    bytes[bytes.length >> 1]! ^= 1;
    return bytes;
  };
  const wrapped = {
    upload: store.upload.bind(store),
    get,
    head: store.head.bind(store),
    close: () => undefined,
  } as unknown as ObjectStore;
  const { writer } = writing(wrapped);
  fill(writer, 10);
  await assert.rejects(writer.finish(), (error) => error instanceof StorageError && error.code === 'invalid');
});

test('batch writer: refuses a large object that the store does not list', async () => {
  const store = new MemoryStore();
  const wrapped = {
    upload: store.upload.bind(store),
    head: async () => undefined,
    close: () => undefined,
  } as unknown as ObjectStore;
  const { writer } = writing(wrapped);
  fill(writer, 8_500);
  await assert.rejects(writer.finish(), /The stored object has 0 bytes/);
});
