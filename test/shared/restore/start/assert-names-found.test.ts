/** A restore of names that the backup lacks is refused at once, if the backup can be read at once. */
import { rejects } from 'node:assert/strict';
import { beforeAll, test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { assertNamesFound } from '../../../../shared/restore/start/assert-names-found.ts';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';
import { backUpShop } from '../../../harness/builders/sample-shop.ts';
import { createRestoreEnv } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

let backup: BackupRecord;
beforeAll(async () => {
  backup = await backUpShop(t);
});

const check = (options: Partial<Parameters<typeof assertNamesFound>[2]>) =>
  assertNamesFound(t.tenant, backup, {
    mergeMode: 'overwrite',
    collections: ['*'],
    includeSubcollections: true,
    deps: t.deps,
    ...options,
  });
const documents = (...paths: string[]) => ({ documents: { paths, given: paths.map((path) => [path, [path]] as const) } });

test('names: a request of unknown collections or documents only is refused with them', async () => {
  await rejects(check({ collections: ['b', 'nowhere'] }), {
    code: 'COLLECTION_NOT_FOUND',
    status: 404,
    details: { names: ['b', 'nowhere'], count: 2 },
  });
  await rejects(check(documents('a/nothing')), { code: 'DOCUMENT_NOT_FOUND', status: 404 });
});

test('names: a request with one known name, of everything, or of a rollback is accepted', async () => {
  await check({ collections: ['a', 'nowhere'] });
  await check(documents('a/1', 'a/nothing'));
  await check({});
  await check({ collections: ['nowhere'], mergeMode: 'rollback' });
});

test('names: a bucket that cannot be read, or is too slow, leaves the decision to the job', async () => {
  const broken = {
    ...t.deps,
    openStore: () => Promise.reject(new StorageError('unavailable', 'The store did not read an object in time.')),
  };
  await check({ collections: ['nowhere'], deps: broken });
  let seconds = 0;
  await check({ collections: ['nowhere'], time: { now: () => new Date(7_000 * seconds++) } });
});
