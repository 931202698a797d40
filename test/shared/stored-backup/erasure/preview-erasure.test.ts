/** What an erasure would hide, before it is made: found by the search that follows one. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { commit, set } from '../../../../shared/platform/index.ts';
import { backupKey, previewErasure } from '../../../../shared/stored-backup/index.ts';
import { createErasureEnv } from '../../../harness/env/erasure-env.ts';

const t = await createErasureEnv();

beforeEach(() => t.reset());

const mail = (stringValue: string) => ({ email: { stringValue } });
const byEmail = { query: { field: 'email', value: 'bob@example.com' } };

const preview = async (input: Partial<Parameters<typeof previewErasure>[0]['input']>, time = t.clock) => {
  const named = { tenant: t.tenant, projectId: t.projectId, input: { includeSubcollections: true, ...input } };
  return previewErasure(named, { deps: t.deps, time });
};
const found = async (input: Parameters<typeof preview>[0]) => {
  const { documents, paths, complete } = (await preview(input)).data;
  equal(complete, true);
  equal(documents, paths.length);
  return paths;
};

const people = async () => {
  await t.startCaptures({
    'people/ann': mail('ann@example.com'),
    'people/bob': mail('bob@example.com'),
    'people/bob/orders/1': { total: { integerValue: 5n } },
    'shops/bob': mail('bob@example.com'),
  });
  return t.base;
};

test('preview of an erasure: documents by path, with and without those below; nothing is erased', async () => {
  const { id, readTime } = await people();
  const { data, audit } = await preview({ paths: ['people/bob', 'people/nobody'] });
  deepEqual(data, {
    backupId: id,
    readTime,
    documents: 2,
    paths: ['people/bob', 'people/bob/orders/1'],
    complete: true,
  });
  deepEqual(
    audit.map(({ resource }) => resource?.type),
    ['backup'],
  );
  deepEqual(await found({ paths: ['people/bob'], includeSubcollections: false }), ['people/bob']);
  deepEqual(await found({ paths: ['people/nobody'] }), []);
  deepEqual(await found({ paths: ['people/bob'], includeSubcollections: false }), ['people/bob'], 'still there');
});

test('preview of an erasure: documents by the value of a field, in all collections or one, with those below', async () => {
  await people();
  deepEqual(await found(byEmail), ['people/bob', 'people/bob/orders/1', 'shops/bob']);
  deepEqual(await found({ ...byEmail, includeSubcollections: false }), ['people/bob', 'shops/bob']);
  deepEqual(await found({ query: { ...byEmail.query, collection: 'shops' } }), ['shops/bob']);
  deepEqual(await found({ query: { field: 'email', value: 'BOB@example.com' } }), []);
});

test('preview of an erasure: documents that are erased already are neither counted nor named', async () => {
  await people();
  await t.erase({ paths: ['people/bob'] });
  deepEqual(await found(byEmail), ['shops/bob']);
  await t.erase(byEmail);
  deepEqual(await found(byEmail), []);
  deepEqual(await found({ paths: ['people/ann'] }), ['people/ann']);
});

test('preview of an erasure: a newer backup of some collections hides no document, and alone is not complete', async () => {
  const whole = await people();
  await t.takeBackup({ collections: ['shops'] });
  const others = await t.takeBackup({ excludeCollections: ['people'] });
  const { data } = await preview({ paths: ['people/bob'] });
  deepEqual([data.backupId, data.documents, data.complete], [whole.id, 2, true]);
  await commit([set(backupKey.backup(t.tenant, whole.id), { status: 'deleted' })]);
  const alone = (await preview({ paths: ['people/bob'] })).data;
  deepEqual([alone.backupId, alone.documents, alone.complete], [others.id, 0, false]);
});

test('preview of an erasure: what an erasure would refuse is refused', async () => {
  await people();
  for (const input of [{ paths: ['people'] }, {}, { ...byEmail, paths: ['people/bob'] }])
    await rejects(preview(input), { code: 'VALIDATION_ERROR' });
});

test('preview of an erasure: names the first 20, and says if the time was not enough or there is no backup', async () => {
  deepEqual((await preview({ paths: ['people/bob'] })).data, {
    backupId: null,
    readTime: null,
    documents: 0,
    paths: [],
    complete: true,
  });
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`people/p${n}`, mail('bob@example.com')]));
  await t.startCaptures(many);
  const { data } = await preview(byEmail);
  deepEqual([data.documents, data.paths.length, data.complete], [30, 20, true]);
});
