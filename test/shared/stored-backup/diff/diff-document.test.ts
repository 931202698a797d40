/** A comparison of one document returns its fields on both sides. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { newId } from '../../../../shared/platform/index.ts';
import { type BackupRecord, compareBackup } from '../../../../shared/stored-backup/index.ts';
import { createArchiveEnv, type Fields } from '../../../harness/env/archive-env.ts';

const t = await createArchiveEnv();

const actor = { type: 'user', id: newId('user'), email: 'ada@example.com' } as const;
const caller = { tenant: t.tenant, actor, origin: { ip: null, userAgent: null, requestId: 'r' }, now: new Date() };
const text = (stringValue: string): Fields => ({ text: { stringValue } });

const compare = (backup: BackupRecord, against: string, path: string, role: 'member' | 'viewer' = 'member') =>
  compareBackup({ ...caller, role, page: { limit: 50, after: undefined }, path }, { backup, against, deps: t.deps });

/** What the comparison says of the document: its change, and the text before and after. */
const saidOf = async (...args: Parameters<typeof compare>) => {
  const { data, next } = await compare(...args);
  equal(next, undefined);
  equal(data.complete, true);
  const textOf = (side: 'before' | 'after') => (data.document?.[side]?.fields as Fields | undefined)?.text?.stringValue;
  return [data.changes, data.counts.unchanged, textOf('before'), textOf('after')];
};

/** The first backup has a/same, a/changed and a/removed; afterwards there are a/same, a/changed and a/added. */
const resetToTwoBackups = async () => {
  t.reset();
  await t.put({ 'a/same': text('x'), 'a/changed': text('old'), 'a/removed': text('gone'), 'a/changed/b/below': text('x') });
  const first = await t.takeBackup();
  await t.put({ 'a/changed': text('new'), 'a/removed': undefined, 'a/added': text('fresh') });
  return { first, second: await t.takeBackup({ type: 'incremental' }) };
};

test('diff: one document has its fields before and after, between backups and with the live database', async () => {
  const { first, second } = await resetToTwoBackups();
  for (const [backup, against] of [
    [second, first.id],
    [first, 'live'],
  ] as const) {
    const said = (path: string) => saidOf(backup, against, path);
    deepEqual(await said('a/changed'), [[{ path: 'a/changed', change: 'changed' }], 0, 'old', 'new']);
    deepEqual(await said('a/removed'), [[{ path: 'a/removed', change: 'removed' }], 0, 'gone', undefined]);
    deepEqual(await said('a/added'), [[{ path: 'a/added', change: 'added' }], 0, undefined, 'fresh']);
    deepEqual(await said('a/same'), [[], 1, 'x', 'x']);
  }
  deepEqual(await saidOf(first, second.id, 'a/changed'), [[{ path: 'a/changed', change: 'changed' }], 0, 'new', 'old']);
});

test('diff: one document of the live database costs one read and requires role member', async () => {
  const { first, second } = await resetToTwoBackups();
  equal((await compare(first, 'live', 'a/changed')).data.cost!.reads, 1);
  await rejects(compare(first, 'live', 'a/changed', 'viewer'), { code: 'PERMISSION_DENIED' });
  equal((await compare(second, first.id, 'a/changed', 'viewer')).data.cost, undefined);
});

test('diff: one document is audited with its path and without its fields', async () => {
  const { first } = await resetToTwoBackups();
  const { change } = await compare(first, 'live', 'a/changed');
  deepEqual(change.audit[0]!.details, { projectId: t.projectId, against: 'live', path: 'a/changed' });
});

test('diff: a document that neither side has, or that is outside of their scope, is refused', async () => {
  const { first } = await resetToTwoBackups();
  const some = await t.takeBackup({ collections: ['a'], excludeCollections: ['a/changed/b'] });
  await rejects(compare(first, 'live', 'a/nothing'), { code: 'NOT_FOUND' });
  await rejects(compare(first, some.id, 'a/nothing'), { code: 'NOT_FOUND' });
  for (const path of ['a', '', 'a//b', 'a/changed/b/below', 'z/1'])
    await rejects(compare(some, first.id, path), (error: { code: string; details: { field: string } }) => {
      deepEqual([error.code, error.details.field], ['VALIDATION_ERROR', 'path'], path);
      return true;
    });
  const withCursor = { ...caller, role: 'member' as const, page: { limit: 50, after: '{}' }, path: 'a/changed' };
  await rejects(compareBackup(withCursor, { backup: first, against: 'live', deps: t.deps }), { code: 'VALIDATION_ERROR' });
});

test('diff: a partial backup says nothing about documents it does not contain', async () => {
  const { first, second } = await resetToTwoBackups();
  const partial = { ...first, isPartial: true as const };
  t.table.put(partial);
  await rejects(compare(second, first.id, 'a/added'), { code: 'NOT_FOUND' });
  await rejects(compare(partial, 'live', 'a/added'), { code: 'NOT_FOUND' });
  deepEqual((await saidOf(partial, 'live', 'a/changed'))[3], 'new');
});
