/** A backup of single documents is never treated as a whole one, neither by a rollback nor by a comparison. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { openManifest } from '../../../../shared/archive/index.ts';
import { findParent } from '../../../../shared/backup/incremental/find-parent.ts';
import { restores } from '../../../../shared/contract/endpoints/restores.ts';
import { newId } from '../../../../shared/platform/index.ts';
import { readRestoreRequest } from '../../../../shared/restore/index.ts';
import { type BackupRecord, backupData, compareBackup, fetchManifest } from '../../../../shared/stored-backup/index.ts';
import { createRestoreEnv, type Fields } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

const text = (stringValue: string): Fields => ({ text: { stringValue } });
const call = {
  tenant: t.tenant,
  role: 'member' as const,
  actor: { type: 'user', id: newId('user'), email: 'ada@example.com' } as const,
  origin: { ip: null, userAgent: null, requestId: 'r' },
  now: new Date(),
};

/** A shop of 200 documents: a restore created `a/1`, overwrote `a/2`, and left `a/3` alone. */
const restored = async () => {
  t.reset();
  const others = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`orders/${n}`, text('theirs')]));
  await t.put({ ...others, 'a/1': text('x'), 'a/2': text('x'), 'a/3': text('x') });
  const first = await t.takeBackup();
  await t.put({ 'a/1': undefined, 'a/2': text('y') });
  const done = await t.restore(first, { targetProjectId: t.projectId, collections: ['a'] });
  equal(done.status, 'completed');
  return { first, safety: t.backupOf(done.safetyBackupId!) };
};

const compare = async (backup: BackupRecord, against: string, limit = 50) => {
  const changes: string[] = [];
  for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
    const page = await compareBackup({ ...call, page: { limit, after: next } }, { backup, against, deps: t.deps });
    changes.push(...page.data.changes.map(({ path, change }) => `${change} ${path}`));
    next = page.next;
    if (next === undefined) return { changes, counts: page.data.counts, reads: page.data.cost?.reads };
  }
  throw new Error('there is always a last page');
};

describe('a safety backup', () => {
  test('is marked as partial in its record and in its manifest', async () => {
    const { safety, first } = await restored();
    deepEqual([backupData(safety).partial, backupData(first).partial], [true, undefined]);
    const stored = await fetchManifest(t.folderOf(safety.path), safety.manifestDigest);
    const dataKey = await t.deps.dataKeyOf(t.tenant, safety);
    const { notes, counts } = await openManifest(stored, { identity: safety.archive, dataKey });
    deepEqual([notes.trigger, counts.tombstones], ['safety', 1]);
  });

  test('is not rolled back to under another name either, such as after an import', async () => {
    const { safety } = await restored();
    const imported = { ...safety, id: newId('backup'), trigger: 'import' as const };
    t.table.put({ ...imported, sk: `BACKUP#${imported.id}` });
    const ask = (mergeMode: string) =>
      readRestoreRequest(t.tenant, restores.create.body.parse({ backupId: imported.id, options: { mergeMode } }));
    await rejects(ask('rollback'), (error: { code: string; details: { field: string } }) => {
      deepEqual([error.code, error.details.field], ['VALIDATION_ERROR', 'options.mergeMode']);
      return true;
    });
    equal((await ask('overwrite')).backup.id, imported.id);
  });

  test('is not a parent for incremental backups', async () => {
    const { first } = await restored();
    const { storageDestination, collections } = first;
    const options = { collections, excludeCollections: [], storageDestinationId: storageDestination.id };
    equal((await findParent(t.tenant, { id: t.projectId }, options))?.id, first.id);
    t.table.put({ ...first, status: 'deleted' });
    equal(await findParent(t.tenant, { id: t.projectId }, options), undefined);
  });

  for (const limit of [50, 1])
    test(`compared with the live database shows what the restore did, and nothing that it left alone (${limit} a page)`, async () => {
      const { safety } = await restored();
      await t.put({ 'b/new': text('x') });
      const { changes, counts, reads } = await compare(safety, 'live', limit);
      deepEqual(changes, ['added a/1', 'changed a/2']);
      deepEqual(counts, { added: 1, changed: 1, removed: 0, unchanged: 0 });
      ok(reads! < 20, `${reads} reads`);
      await t.put({ 'a/1': undefined, 'a/2': undefined });
      const later = await compare(safety, 'live', limit);
      deepEqual(later.changes, ['removed a/2']);
    });

  for (const limit of [50, 1])
    test(`is compared with another backup only in the documents that it names (${limit} a page)`, async () => {
      const { safety, first } = await restored();
      deepEqual((await compare(safety, first.id, limit)).changes, ['removed a/1', 'changed a/2']);
      const back = await compare(first, safety.id, limit);
      deepEqual(back.changes, ['added a/1', 'changed a/2']);
      deepEqual(back.counts, { added: 1, changed: 1, removed: 0, unchanged: 0 });
      deepEqual((await compare(safety, safety.id, limit)).counts, { added: 0, changed: 0, removed: 0, unchanged: 1 });
    });
});
