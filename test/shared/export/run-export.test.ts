/** The steps of an export: many ranges, crashes between and within them, and what is left in the bucket. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { parquetReadObjects } from 'hyparquet';
import { beforeEach, test } from 'vitest';
import { type DestinationRecord, StorageError } from '../../../shared/destination/index.ts';
import { erasureKey } from '../../../shared/erasure/index.ts';
import { purgeExports } from '../../../shared/export/end/purge-exports.ts';
import { cleanUpExport, listExports, resumeExport } from '../../../shared/export/index.ts';
import { exportData } from '../../../shared/export/model/export-view.ts';
import { type ExportedFile, exportKey } from '../../../shared/export/model/record.ts';
import { readText, storeText } from '../../../shared/export/model/stored-text.ts';
import { timelineOf, workPartition, wrapStore } from '../../../shared/job/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { commit, type Item, newId, set } from '../../../shared/platform/index.ts';
import { type BackupRecord, backupKey } from '../../../shared/stored-backup/index.ts';
import { Fault } from '../../harness/aws/scripted-aws.ts';
import { parseCsv } from '../../harness/builders/parse-csv.ts';
import type { Fields } from '../../harness/env/archive-env.ts';
import { eraseDocuments, serveLedgerKey } from '../../harness/env/erasure-env.ts';
import { CrashError, createExportEnv } from '../../harness/env/export-env.ts';

const t = await createExportEnv();
let backup: BackupRecord;
const count = 900;
/** Large enough for many leaves. */
const text = 'x'.repeat(8_000);

beforeEach(async () => {
  t.reset();
  const documents: Record<string, Fields> = {};
  for (let n = 0; n < count; n++)
    documents[n % 3 === 0 ? `users/${n}/orders/o` : `users/${n}`] = {
      n: { integerValue: BigInt(n) },
      text: { stringValue: `${text}${n}` },
      ...(n === 7 && { first: { booleanValue: true } }),
      ...(n === count - 1 && { last: { doubleValue: 0.5 } }),
    };
  await t.put(documents);
  backup = await t.takeBackup();
  t.sizes = { shardSegments: 2, fileBytes: 1 << 20, bufferBytes: 1 << 20 };
});

const numbersIn = (files: ReadonlyMap<string, Buffer>): readonly number[] =>
  [...files.values()]
    .flatMap((bytes) => bytes.toString().trimEnd().split('\n'))
    .map((line) => (JSON.parse(line) as { n: number }).n)
    .sort((a, b) => a - b);
const sorted = (files: ReadonlyMap<string, Buffer>) =>
  [...files].map(([name, bytes]) => `${name} ${bytes.toString('base64')}`).sort();
const all = Array.from({ length: count }, (_, n) => n);
const held = (): number => t.table.get<BackupRecord>(backupKey.backup(t.tenant, backup.id))?.restoring ?? 0;
const audited = (action: string): number => t.table.find('AUDIT#').filter((entry) => entry.action === action).length;
const leftovers = (id: string) => [
  ...t.table.find(workPartition(t.tenant, id)),
  ...(t.table.get(exportKey.running(t.tenant, id)) ? ['running'] : []),
];

test('export: many ranges have every document once, and the manifest names every file with its digest', async () => {
  const id = await t.startExport(backup);
  equal(held(), 1);
  const ended = await t.runExport(id);
  deepEqual([ended.status, ended.documents, ended.error], ['completed', count, null]);
  ok((ended.shards ?? 0) > 2, `${ended.shards}`);
  const files = t.filesOf(ended);
  deepEqual(numbersIn(files), all);
  const manifest = JSON.parse(Buffer.from(t.stores.get(ended.path)!.objects.get('manifest.json')!).toString());
  deepEqual(
    manifest.files
      .map(({ name, bytes, sha256 }: { name: string; bytes: number; sha256: string }) => [name, bytes, sha256])
      .sort(),
    [...files].map(([name, bytes]) => [name, bytes.length, createHash('sha256').update(bytes).digest('hex')]).sort(),
  );
  deepEqual([ended.files, held(), leftovers(id)], [files.size, 0, []]);
  deepEqual(
    [t.events('export.started').length, t.events('export.completed').length, t.events('export.failed').length],
    [1, 1, 0],
  );
});

test('export: crashes before, within and after steps change no file', async () => {
  const calm = await t.runExport(await t.startExport(backup, { format: 'parquet' }));
  const expected = t.filesOf(calm);
  let steps = 0;
  let puts = 0;
  t.wrapStore = (store, folder) =>
    folder.includes('exports/')
      ? Object.assign(Object.create(store), {
          put: async (name: string, bytes: Uint8Array) => {
            puts += 1;
            if (puts % 4 === 1) throw new CrashError('before it was stored');
            await store.put(name, bytes);
            if (puts % 4 === 3) throw new CrashError('after it was stored');
          },
        })
      : store;
  const id = await t.startExport(backup, { format: 'parquet' });
  const ended = await t.runExport(id, {
    isRepeated: true,
    beforeStep: () => {
      steps += 1;
      if (steps % 3 === 0) throw new CrashError('before the step');
    },
  });
  ok(puts > 8, `${puts}`);
  equal(ended.status, 'completed');
  deepEqual(sorted(t.filesOf(ended)), sorted(expected));
  equal(ended.documents, count);
});

test('export: columns of all ranges are joined, in the order of the documents', async () => {
  const ended = await t.runExport(await t.startExport(backup, { format: 'csv' }));
  ok((ended.shards ?? 0) > 2);
  const files = [...t.filesOf(ended)].filter(([name]) => name.startsWith('users/'));
  ok(files.length > 2);
  const headers = new Set<string>();
  const rows = files.flatMap(([, bytes]) => {
    const [header = [], ...lines] = parseCsv(bytes.toString());
    headers.add(header.slice(4).join());
    return lines.map((cells) => Number(cells[4 + header.slice(4).indexOf('n')]));
  });
  equal(headers.size, 1);
  deepEqual(
    [...headers][0]?.split(',').sort(),
    ['first', 'last', 'n', 'text'].filter((name) => [...headers][0]?.includes(name)).sort(),
  );
  deepEqual(
    rows.sort((a, b) => a - b),
    all.filter((n) => n % 3 !== 0),
  );
});

test('export: parquet files of every range have the same typed columns', async () => {
  const ended = await t.runExport(await t.startExport(backup, { format: 'parquet' }));
  const rows = await rowsIn(t.filesOf(ended));
  ok(rows.every((row) => row.text.endsWith(String(row.n))));
  deepEqual(
    rows.map(({ n }) => Number(n)).sort((a, b) => a - b),
    all,
  );
});

test('export: a file that the store has lost fails the export, and the others are deleted', async () => {
  const id = await t.startExport(backup);
  const ended = await t.runExport(id, {
    beforeStep: (name) => {
      const { phase, path } = t.exportOf(id);
      if (name === 'advance' && phase === 'finishing') t.stores.get(path)!.objects.delete('part-00001.ndjson');
    },
  });
  deepEqual([ended.status, ended.error?.code, ended.manifest], ['failed', 'STORAGE_UPLOAD_ERROR', null]);
  match(ended.error?.message ?? '', /part-00001\.ndjson/);
  deepEqual([t.filesOf(ended).size, held()], [0, 0]);
  equal(t.events('export.failed').length, 1);
  // The mark stays until no worker can store a file any more.
  equal(leftovers(id).length, 1);
  const { nowMs } = t;
  t.nowMs = () => nowMs() + 3_600_000;
  await t.stores.get(ended.path)!.put('part-00002.ndjson', Buffer.from('by a worker that had not noticed'));
  await cleanUpExport(t.tenant, id, { deps: t.exportDeps });
  deepEqual([t.filesOf(ended).size, leftovers(id)], [0, []]);
});

test('export: files that stay in a bucket which answers no more are in the audit log', async () => {
  const id = await t.startExport(backup);
  t.table.put({ ...t.exportOf(id), status: 'failed' });
  t.wrapStore = () => {
    throw new StorageError('unavailable', 'The store did not respond.');
  };
  await cleanUpExport(t.tenant, id, { deps: t.exportDeps, isGivenUp: true });
  deepEqual(
    t.table
      .find('AUDIT#')
      .filter(({ action }) => action === 'export.objects_kept')
      .map(({ details }) => (details as { reason: string }).reason),
    ['The storage destination did not respond for a day'],
  );
});

test('export: files are deleted also by a clean-up that comes more than a day late', async () => {
  storesUpTo(1);
  const id = await t.startExport(backup);
  const failed = await t.runExport(id);
  const endMs = Date.parse(failed.resumableUntil!);
  t.wrapStore = (store) => store;
  t.nowMs = () => endMs + 2 * day;
  await cleanUpExport(t.tenant, id, { deps: t.exportDeps, isGivenUp: true });
  deepEqual([t.filesOf(failed).size, audited('export.objects_kept'), leftovers(id)], [0, 0, []]);
});

test('export: of a backup that lacks something says what, in the record, the event and the manifest', async () => {
  const lacks = { collections: ['orders'], count: 1, complete: true, reason: 'not counted yet' };
  t.table.put({ ...backup, lacks });
  try {
    const ended = await t.runExport(await t.startExport(backup));
    deepEqual([ended.status, exportData(ended).partial], ['completed', lacks]);
    const manifest = JSON.parse(Buffer.from(t.stores.get(ended.path)!.objects.get('manifest.json')!).toString()) as {
      partial: unknown;
    };
    deepEqual(manifest.partial, lacks);
    const [event] = t.events('export.completed');
    deepEqual((event!.data as { export: { partial: unknown } }).export.partial, lacks);
  } finally {
    t.table.put(backup);
  }
});

test('export: a cancelled export stops its workers and leaves nothing', async () => {
  const id = await t.startExport(backup);
  const ended = await t.runExport(id, {
    beforeStep: (name) => {
      if (name !== 'shard 2') return;
      const failure = { code: 'CANCELLED', message: 'The export was cancelled by a user' };
      t.table.put({ ...t.exportOf(id), cancelling: true, failure });
    },
  });
  deepEqual([ended.status, ended.error?.code, ended.shardsWritten], ['cancelled', 'CANCELLED', 2]);
  deepEqual([t.filesOf(ended).size, held()], [0, 0]);
});

test('export: one that waits for other jobs before its backup is built says so, once', async () => {
  await t.startRestore(backup, { targetProjectId: t.projectId, dryRun: true });
  process.env.ORGANIZATION_LIMITS = '{"concurrentRestores":1}';
  try {
    const id = await t.startExport(backup, { pointInTime: '2026-01-01T00:00:00.000Z' });
    for (let n = 0; n < 2; n++) await rejects(t.runExport(id), { message: 'the export waits' });
    const waits = timelineOf(t.exportOf(id)).filter(({ kind }) => kind === 'waiting');
    deepEqual(
      waits.map(({ message }) => message),
      ['An organization can run at most 1 restores at once. Start this one when another has ended'],
    );
  } finally {
    delete process.env.ORGANIZATION_LIMITS;
  }
});

test('export: one that is cancelled while its backup is built cancels the job that builds it', async () => {
  const job = await t.startRestore(backup, { targetProjectId: t.projectId, dryRun: true });
  const id = await t.startExport(backup, { pointInTime: '2026-01-01T00:00:00.000Z' });
  const failure = { code: 'CANCELLED', message: 'The export was cancelled by a user' };
  const building = { status: 'running', phase: 'building', buildJobId: job, cancelling: true, failure };
  t.table.put({ ...t.exportOf(id), ...building });
  equal((await t.runExport(id)).status, 'cancelled');
  deepEqual([t.restoreOf(job).status, audited('restore.cancelled')], ['cancelled', 1]);
  // Another clean-up finds it ended.
  await cleanUpExport(t.tenant, id, { deps: t.exportDeps });
  equal(audited('restore.cancelled'), 1);
});

test('export: a table that does not answer is no reason to take the backup for deleted', async () => {
  const id = await t.startExport(backup);
  let isDown = false;
  t.table.onRead = (input) =>
    isDown && JSON.stringify(input).includes(`BACKUP#${backup.id}`) ? new Fault('InternalServerError', 500) : undefined;
  await rejects(
    t.runExport(id, {
      beforeStep: (name) => {
        isDown = name === 'shard 1';
      },
    }),
  );
  isDown = false;
  deepEqual([t.exportOf(id).status, t.exportOf(id).failure], ['running', undefined]);
  equal((await t.runExport(id)).status, 'completed');
});

test('export: a bucket that refuses the files fails the export as its destination', async () => {
  t.wrapStore = (store, folder) =>
    wrapStore(store, async (call, object) => {
      if (folder.includes('exports/') && object?.startsWith('part-'))
        throw new StorageError('denied', 'The bucket does not allow it.');
      return call();
    });
  const ended = await t.runExport(await t.startExport(backup));
  deepEqual([ended.status, ended.error?.code], ['failed', 'STORAGE_UPLOAD_ERROR']);
  equal(t.events('storage.error').length, 1);
});

const storesUpTo = (most: number) => {
  let stored = 0;
  t.wrapStore = (store, folder) =>
    wrapStore(store, async (call, object) => {
      const isFile = folder.includes('exports/') && object?.startsWith('part-');
      if (isFile && stored === most) throw new StorageError('denied', 'The bucket does not allow it.');
      if (isFile) stored += 1;
      return call();
    });
};
const resumed = async (id: string): Promise<void> => {
  await commit((await resumeExport(t.tenant, id, t.clock.now())).change.writes);
};
const day = 24 * 3_600_000;
const rowsIn = async (files: ReadonlyMap<string, Buffer>): Promise<readonly { readonly n: bigint; readonly text: string }[]> => {
  const rows = [];
  for (const bytes of files.values()) rows.push(...(await parquetReadObjects({ file: Uint8Array.from(bytes).buffer })));
  return rows as { n: bigint; text: string }[];
};

test('export: one whose bucket refused goes on where it stopped, and nothing that is stored is written again', async () => {
  const calm = await t.runExport(await t.startExport(backup));
  storesUpTo(5);
  const id = await t.startExport(backup);
  const failed = await t.runExport(id);
  deepEqual([failed.status, t.filesOf(failed).size, held()], ['failed', 5, 0]);
  ok(failed.shardsWritten > 0 && failed.shardsWritten < failed.shards!);
  equal(Date.parse(failed.resumableUntil!) - Date.parse(failed.completedAt!), day);
  const writes: string[] = [];
  t.wrapStore = (store, folder) =>
    wrapStore(store, async (call, object) => {
      if (folder.includes('exports/') && object?.startsWith('part-')) writes.push(object);
      return call();
    });
  await resumed(id);
  deepEqual([t.exportOf(id).status, t.exportOf(id).attempt, held()], ['running', 2, 1]);
  await rejects(resumed(id), { code: 'CONFLICT' });
  const ended = await t.runExport(id);
  deepEqual([ended.status, ended.documents, ended.error, ended.resumableUntil, held()], ['completed', count, null, undefined, 0]);
  deepEqual(sorted(t.filesOf(ended)), sorted(t.filesOf(calm)));
  ok(!writes.includes('part-00001.ndjson'));
  deepEqual(leftovers(id), []);
  deepEqual(timelineOf(ended).filter(({ message }) => message === 'Attempt 2').length, 1);
  deepEqual(
    timelineOf(calm).map(({ kind, phase }) => phase ?? kind),
    ['created', 'started', 'planning', 'writing', 'finishing', 'ended'],
  );
});

test('export: what can be resumed stays for a day, and is deleted then', async () => {
  storesUpTo(1);
  const id = await t.startExport(backup);
  const failed = await t.runExport(id);
  const endMs = Date.parse(failed.resumableUntil!);
  t.wrapStore = (store) => store;
  t.nowMs = () => endMs - 1_000;
  await cleanUpExport(t.tenant, id, { deps: t.exportDeps });
  equal(t.filesOf(failed).size, 1);
  t.nowMs = () => endMs;
  await rejects(resumed(id), { message: /could be resumed until/ });
  await cleanUpExport(t.tenant, id, { deps: t.exportDeps });
  deepEqual([t.filesOf(failed).size, t.exportOf(id).resumableUntil, leftovers(id)], [0, undefined, []]);
  await rejects(resumed(id), { message: /its files are deleted/ });
});

test('export: one that cannot go on as it was is not resumed', async () => {
  storesUpTo(1);
  const id = await t.startExport(backup);
  await t.runExport(id);
  const destination = organizationKey.storageDestination(t.tenant, t.destinationId);
  const { bucket } = t.table.get<DestinationRecord>(destination)!;
  await commit([set(destination, { bucket: 'another-bucket' })]);
  await rejects(resumed(id), { message: /names another bucket/ });
  await commit([set(destination, { bucket })]);
  await commit([{ put: { ...erasureKey.ledger(t.tenant, backup.projectId), version: 1 } as Item }]);
  await rejects(resumed(id), { message: /were erased since/ });
  await commit([{ remove: erasureKey.ledger(t.tenant, backup.projectId) }]);
  await commit([set(backupKey.backup(t.tenant, backup.id), { status: 'deleted' })]);
  await rejects(resumed(id), { code: 'BACKUP_NOT_FOUND' });
});

test('export: what is erased while it runs is in none of its files', async () => {
  await serveLedgerKey();
  for (const format of ['ndjson', 'parquet'] as const) {
    const path = `users/${format === 'ndjson' ? 1 : 2}`;
    const id = await t.startExport(backup, { format });
    let isErased = false;
    const erase = async (): Promise<void> => {
      if (t.exportOf(id).shardsWritten < 2 || isErased) return;
      isErased = true;
      await eraseDocuments({ tenant: t.tenant, projectId: backup.projectId, clock: t.clock }, { paths: [path] });
    };
    const ended = await t.runExport(id, { beforeStep: erase });
    const erased = format === 'ndjson' ? 1 : 2;
    deepEqual([isErased, ended.status, ended.documents, ended.documentsErased], [true, 'completed', count - erased, erased]);
    const files = t.filesOf(ended);
    const found = format === 'ndjson' ? numbersIn(files) : (await rowsIn(files)).map(({ n }) => Number(n));
    deepEqual([found.length, found.includes(1), found.includes(2)], [count - erased, false, format === 'ndjson']);
    deepEqual([held(), leftovers(id)], [0, []]);
  }
});

test('export: what is erased while the files are accounted for is in none of them', async () => {
  await serveLedgerKey();
  const id = await t.startExport(backup);
  let isErased = false;
  t.wrapStore = (store, folder) =>
    wrapStore(store, async (call, object) => {
      const stored = await call();
      if (folder.includes('exports/') && object === 'manifest.json' && !isErased) {
        isErased = true;
        await eraseDocuments({ tenant: t.tenant, projectId: backup.projectId, clock: t.clock }, { paths: ['users/1'] });
      }
      return stored;
    });
  const ended = await t.runExport(id);
  deepEqual([isErased, ended.status, ended.documents, ended.documentsErased], [true, 'completed', count - 1, 1]);
  ok(!numbersIn(t.filesOf(ended)).includes(1));
});

test('export: a late run of a range that stores other files fails the export', async () => {
  const id = await t.startExport(backup);
  const ended = await t.runExport(id, {
    beforeStep: async (name) => {
      if (name !== 'advance' || t.exportOf(id).phase !== 'finishing') return;
      const files = await readText<readonly ExportedFile[]>(t.tenant, id, { kind: 'FILES', of: 0 });
      const value = files.map((file) => ({ ...file, documents: file.documents + 1 }));
      await storeText(t.tenant, id, { kind: 'FILES', of: 0, value, now: t.clock.now() });
    },
  });
  deepEqual([ended.status, ended.error?.code, t.filesOf(ended).size], ['failed', 'COUNT_MISMATCH', 0]);
});

test('export: a mistake of the request is not resumed, and its files go at once', async () => {
  const id = await t.startExport(backup, {
    transform: { rules: [{ collection: 'users', field: 'nmae', transform: 'redact' }], allowUnmatched: false },
  });
  const failed = await t.runExport(id);
  deepEqual([failed.error?.code, failed.resumableUntil, t.filesOf(failed).size], ['TRANSFORM_INVALID', undefined, 0]);
  await rejects(resumed(id), { message: /cannot be resumed after TRANSFORM_INVALID/ });
  await rejects(resumed((await t.runExport(await t.startExport(backup))).id), { message: /this one is completed/ });
});

test('export: the exports of an organization are purged with it, their files only on request', async () => {
  const ended = await t.runExport(await t.startExport(backup));
  const options = { isPatient: true, deadline: new Date('2099-01-01'), clock: t.clock };
  const { openStore } = t.exportDeps;
  const files = t.filesOf(ended).size;
  ok(files > 0);
  equal(await purgeExports(t.tenant, { ...options, deleteBackupData: false }, openStore), true);
  deepEqual([t.exportOf(ended.id), t.filesOf(ended).size], [undefined, files]);
  const again = await t.runExport(await t.startExport(backup));
  equal(await purgeExports(t.tenant, { ...options, deleteBackupData: true }, openStore), true);
  equal(t.filesOf(again).size, 0);
});

test('export: a page of the list fits into a response, however long the lists of columns are', async () => {
  const id = await t.startExport(backup);
  const columns = Array.from({ length: 1_000 }, (_, n) => `${'x'.repeat(55)}${n}`);
  const ids = Array.from({ length: 100 }, () => newId('export', t.clock.now()));
  for (const one of ids)
    t.table.put({ ...t.exportOf(id), ...exportKey.export(t.tenant, one), id: one, columns, collections: columns });
  const found: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await listExports(t.tenant, {}, { limit: 100, after });
    ok(Buffer.byteLength(JSON.stringify(page.exports.map(exportData))) < 5_100_000);
    found.push(...page.exports.map((one) => one.id));
    after = page.next;
    if (after === undefined) break;
  }
  deepEqual(found.sort(), [id, ...ids].sort());
});

test('export: files are deleted when the retention ends, not before, and the record stays', async () => {
  const id = await t.startExport(backup, { retention: 30 });
  const ended = await t.runExport(id);
  equal(Date.parse(ended.expiresAt!) - Date.parse(ended.completedAt!), 30 * day);
  const count = t.filesOf(ended).size;
  const endMs = Date.parse(ended.expiresAt!);
  t.nowMs = () => endMs - 60_000;
  await cleanUpExport(t.tenant, id, { deps: t.exportDeps });
  deepEqual(
    [t.filesOf(ended).size, t.exportOf(id).filesDeletedAt, t.table.get(exportKey.running(t.tenant, id))?.dueAt],
    [count, undefined, ended.expiresAt],
  );
  t.nowMs = () => endMs + 60_000;
  t.wrapStore = () => {
    throw new StorageError('unavailable', 'The store did not respond.');
  };
  await rejects(cleanUpExport(t.tenant, id, { deps: t.exportDeps }), { code: 'unavailable' });
  t.wrapStore = (store) => store;
  await cleanUpExport(t.tenant, id, { deps: t.exportDeps });
  const { status, files, filesDeletedAt } = exportData(t.exportOf(id));
  deepEqual([status, files, t.stores.get(ended.path)!.objects.size, leftovers(id)], ['completed', count, 0, []]);
  ok(filesDeletedAt! >= ended.expiresAt!);
  equal(audited('export.expired'), 1);
});

test('export: files that the bucket does not give up after their retention are said to stay, and asked for again', async () => {
  const id = await t.startExport(backup, { retention: 1 });
  const ended = await t.runExport(id);
  const endMs = Date.parse(ended.expiresAt!);
  const dueAt = () => t.table.get<{ dueAt: string } & Item>(exportKey.running(t.tenant, id))?.dueAt;
  const refuse = (code: 'denied' | 'unavailable') => {
    t.wrapStore = () => {
      throw new StorageError(code, 'The store refuses.', { bucket: true });
    };
  };
  refuse('denied');
  for (const days of [0, 1]) {
    t.nowMs = () => endMs + days * day + 60_000;
    await cleanUpExport(t.tenant, id, { deps: t.exportDeps });
    equal(exportData(t.exportOf(id)).filesKeptReason, 'The store refuses.');
    equal(Date.parse(dueAt()!), endMs + (days + 1) * day + 60_000);
  }
  equal(audited('export.objects_kept'), 1);
  // A bucket that has not answered for a day.
  refuse('unavailable');
  t.nowMs = () => endMs + 4 * day;
  await cleanUpExport(t.tenant, id, { deps: t.exportDeps, isGivenUp: true });
  match(exportData(t.exportOf(id)).filesKeptReason!, /did not respond for a day/);
  t.wrapStore = (store) => store;
  t.nowMs = () => endMs + 6 * day;
  await cleanUpExport(t.tenant, id, { deps: t.exportDeps });
  const { filesKeptReason, filesDeletedAt } = exportData(t.exportOf(id));
  deepEqual([filesKeptReason, filesDeletedAt !== null, leftovers(id)], [null, true, []]);

  const other = await t.runExport(await t.startExport(backup, { retention: 1 }));
  refuse('denied');
  t.nowMs = () => Date.parse(other.expiresAt!) + 31 * day;
  await cleanUpExport(t.tenant, other.id, { deps: t.exportDeps });
  deepEqual([t.exportOf(other.id).filesDeletedAt, leftovers(other.id)], [undefined, []]);
});

test('export: files in a bucket that the destination no longer names are not said to be deleted', async () => {
  const id = await t.startExport(backup, { retention: 1 });
  const ended = await t.runExport(id);
  await commit([set(organizationKey.storageDestination(t.tenant, t.destinationId), { bucket: 'another-bucket' })]);
  t.nowMs = () => Date.parse(ended.expiresAt!) + 60_000;
  await cleanUpExport(t.tenant, id, { deps: t.exportDeps });
  const { filesDeletedAt, filesKeptReason } = exportData(t.exportOf(id));
  deepEqual([filesDeletedAt, filesKeptReason], [null, 'The storage destination names another bucket now']);
  ok(t.filesOf(ended).size > 0);
});

test('export: the files of a completed export stay as long as they have not expired, whatever its mark says', async () => {
  const id = await t.startExport(backup, { retention: 5 });
  const ended = await t.runExport(id);
  await commit([{ remove: exportKey.running(t.tenant, id) }]);
  await cleanUpExport(t.tenant, id, { deps: t.exportDeps });
  deepEqual([t.exportOf(id).filesDeletedAt, t.filesOf(ended).size > 0], [undefined, true]);
});
