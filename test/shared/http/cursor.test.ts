import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { paginate, readPage } from '../../../shared/http/cursor.ts';
import { scriptAws } from '../../harness/aws/scripted-aws.ts';

const aws = await scriptAws({ GetSecretValue: () => ({ SecretString: 's'.repeat(64) }) });
afterAll(aws.stop);

const refused = (field: string) => ({ code: 'VALIDATION_ERROR', details: { field } });
const isRefused = (field: string) => (error: { code: string; details: { field: string } }) => {
  deepEqual({ code: error.code, details: { field: error.details.field } }, refused(field));
  return true;
};

test('readPage: without parameters it is the first page of 50', async () => {
  deepEqual(await readPage({}, 'org_1', 'a.list'), { limit: 50, after: undefined });
});

for (const limit of ['1', '100', '007'])
  test(`readPage: limit=${limit} is accepted`, async () =>
    equal((await readPage({ limit }, 'org_1', 'a.list')).limit, Number(limit)));
for (const limit of ['0', '101', '-1', '1.5', '1e2', '', 'NaN', ' 5', '٥', '0x10', '1000'])
  test(`readPage: limit=${limit} is refused`, () => rejects(readPage({ limit }, 'org_1', 'a.list'), isRefused('limit')));

test('readPage: a cursor contains the position it was made from', async () => {
  const { nextCursor, hasMore } = await paginate('ENTRY#7', 'org_1', 'a.list');
  equal(hasMore, true);
  equal((await readPage({ cursor: nextCursor! }, 'org_1', 'a.list')).after, 'ENTRY#7');
});

test('readPage: a cursor of another organization or list, and any other text, is refused', async () => {
  const { nextCursor } = await paginate('ENTRY#7', 'org_1', 'a.list');
  await rejects(readPage({ cursor: nextCursor! }, 'org_2', 'a.list'), isRefused('cursor'));
  await rejects(readPage({ cursor: nextCursor! }, 'org_1', 'b.list'), isRefused('cursor'));
  for (const cursor of ['', 'x', 'ENTRY#7', `${nextCursor}x`, nextCursor!.slice(1), 'A'.repeat(5_000)])
    await rejects(readPage({ cursor }, 'org_1', 'a.list'), isRefused('cursor'));
});

test('paginate: the last page has no cursor', async () => {
  deepEqual(await paginate(undefined, 'org_1', 'a.list'), { nextCursor: null, hasMore: false });
});
