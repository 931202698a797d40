/** Files of exports through the service: what is listed and read is what was exported, or an error says why not. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { beforeEach, test } from 'vitest';
import { downloadMaxBytes } from '../../../shared/contract/limits.ts';
import { StorageError } from '../../../shared/destination/index.ts';
import { type ExportRecord, exportKey, listExportFiles, readExportContent } from '../../../shared/export/index.ts';
import { commit, set } from '../../../shared/platform/index.ts';
import type { BackupRecord } from '../../../shared/stored-backup/index.ts';
import type { Fields } from '../../harness/env/archive-env.ts';
import { createExportEnv } from '../../harness/env/export-env.ts';

const t = await createExportEnv();
let backup: BackupRecord;
/** Two files, one of which is longer than a response. */
const text = 'x'.repeat(900_000);

beforeEach(async () => {
  t.reset();
  const documents: Record<string, Fields> = {};
  for (let n = 0; n < 6; n++) documents[`users/${n}`] = { n: { integerValue: BigInt(n) }, text: { stringValue: text } };
  documents['orders/1'] = { total: { integerValue: 1n } };
  await t.put(documents);
  backup = await t.takeBackup();
});

const open: typeof t.deps.openStore = (...given) => t.deps.openStore(...given);
const completed = async (more = {}): Promise<ExportRecord> =>
  t.runExport(await t.startExport(backup, { format: 'csv', ...more }));
const read = ({ id }: ExportRecord, file: string, offset = 0) =>
  readExportContent(t.tenant, { exportId: id, file, offset, open });
const list = (exportId: string, limit = 100, after?: string) => listExportFiles(t.tenant, { exportId, limit, after, open });
const objectsOf = ({ path }: ExportRecord): Map<string, Uint8Array> => t.stores.get(path)!.objects;

test('download: the pieces of every file are the file, and each is audited', async () => {
  const record = await completed();
  const { items, next } = await list(record.id);
  equal(next, undefined);
  deepEqual(items.map(({ name }) => name).sort(), ['orders/part-00001.csv', 'users/part-00001.csv']);
  for (const { name, bytes, sha256 } of items) {
    const pieces: Buffer[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const { data, change }: Awaited<ReturnType<typeof read>> = await read(record, name, offset);
      deepEqual(
        change.audit.map(({ details }) => details),
        [{ projectId: backup.projectId, backupId: backup.id, file: name, offset, bytes: data.bytes }],
      );
      pieces.push(Buffer.from(data.content, 'base64'));
      deepEqual([data.offset, data.bytes, data.totalBytes], [offset, pieces.at(-1)!.length, bytes]);
      offset = data.nextOffset;
    }
    equal(pieces.length, name.startsWith('users/') ? 2 : 1);
    equal(createHash('sha256').update(Buffer.concat(pieces)).digest('hex'), sha256);
  }
});

test('download: files are listed in pages, each once', async () => {
  const record = await completed();
  const names: string[] = [];
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const { items, next }: Awaited<ReturnType<typeof list>> = await list(record.id, 1, after);
    names.push(...items.map(({ name }) => name));
    after = next;
  }
  deepEqual(names.sort(), ['orders/part-00001.csv', 'users/part-00001.csv']);
});

test('download: only a completed export has files, and only those that its manifest lists', async () => {
  const id = await t.startExport(backup);
  await rejects(list(id), { code: 'CONFLICT' });
  const record = await completed();
  for (const name of ['manifest.json', '../other', 'users', 'users/part-00002.csv'])
    await rejects(read(record, name), { code: 'NOT_FOUND' });
  const file = 'orders/part-00001.csv';
  const size = objectsOf(record).get(file)!.length;
  await rejects(read(record, file, size), { code: 'VALIDATION_ERROR' });
  equal((await read(record, file, size - 1)).data.bytes, 1);
});

test('download: a file or a manifest that was replaced or deleted is named', async () => {
  const record = await completed();
  const objects = objectsOf(record);
  const file = 'orders/part-00001.csv';
  const stored = objects.get(file)!;
  objects.set(file, Buffer.from(stored).fill('?'));
  await rejects(read(record, file), { code: 'STORAGE_ERROR', details: { step: 'read', reason: 'altered', object: file } });
  objects.delete(file);
  await rejects(read(record, file), { code: 'NOT_FOUND' });

  const other = await completed({ collections: ['orders'] });
  objectsOf(other).set('manifest.json', Buffer.from('{"files":[]}'));
  await rejects(list(other.id), { code: 'STORAGE_ERROR' });
  t.wrapStore = () => {
    throw new StorageError('denied', 'The store refuses the access.', { bucket: true });
  };
  await rejects(read(record, file), { code: 'STORAGE_ERROR', details: { step: 'read', reason: 'denied' } });
});

test('download: an export that is only to be downloaded fails once it is too large, and leaves nothing', async () => {
  t.sizes = { downloadBytes: 1_000_000 };
  const failed = await completed({ download: true, retention: 1 });
  deepEqual([failed.status, failed.error?.code, failed.resumableUntil], ['failed', 'CONFLICT', undefined]);
  equal(failed.error?.details?.maxBytes, 1_000_000);
  equal(objectsOf(failed).size, 0);
  equal((await completed({ retention: 1 })).status, 'completed');
  t.sizes = { downloadBytes: 10_000_000 };
  equal((await completed({ download: true, retention: 1 })).status, 'completed');
});

test('download: an export that is too large is read from its bucket', async () => {
  const record = await completed();
  await commit([set(exportKey.export(t.tenant, record.id), { bytes: downloadMaxBytes + 1 })]);
  await rejects(read(record, 'orders/part-00001.csv'), {
    code: 'CONFLICT',
    details: {
      bytes: downloadMaxBytes + 1,
      maxBytes: downloadMaxBytes,
      storageDestinationId: t.destinationId,
      path: record.path,
    },
  });
});
