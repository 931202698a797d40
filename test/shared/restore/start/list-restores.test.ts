import { deepEqual, equal } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import { restoreKey } from '../../../../shared/restore/model/record.ts';
import { listRestores } from '../../../../shared/restore/start/list-restores.ts';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';
import { begin, projectId, putBackup, resetTable, table, targetId, tenant } from '../../../harness/builders/sample-restore.ts';

let backup: BackupRecord;
beforeEach(() => {
  resetTable();
  backup = putBackup();
});
const put = (n: number, more: object = {}): string => {
  const id = newId('restore', new Date(Date.UTC(2026, 0, 1, 0, 0, n)));
  table.put({ ...begin(backup).restore, ...restoreKey.restore(tenant, id), id, ...more });
  return id;
};
const ask = async (filter: { projectId?: string } = {}, limit = 50, after?: string) => {
  const { restores, next } = await listRestores(tenant, filter, { limit, after });
  return { ids: restores.map(({ id }) => id), next };
};

test('listRestores: newest first, of this organization only', async () => {
  const [a, b, c] = [put(1), put(2), put(3)];
  deepEqual(await ask(), { ids: [c, b, a], next: undefined });
  const other = unsafeTenant(newId('organization'), 'created');
  deepEqual((await listRestores(other, {}, { limit: 50, after: undefined })).restores, []);
});

test('listRestores: a project matches as the target and as the source', async () => {
  const elsewhere = newId('project');
  const into = put(1);
  const from = put(2, { targetProjectId: elsewhere });
  const neither = put(3, { projectId: elsewhere, targetProjectId: elsewhere });
  deepEqual((await ask({ projectId: targetId })).ids, [into]);
  deepEqual((await ask({ projectId })).ids, [from, into]);
  deepEqual((await ask({ projectId: elsewhere })).ids, [neither, from]);
  deepEqual((await ask({ projectId: newId('project') })).ids, []);
});

test('listRestores: pages have the requested size, miss nothing, and the last one has no next', async () => {
  const wanted = Array.from({ length: 23 }, (_, n) => put(n, n % 2 ? { targetProjectId: projectId, projectId: 'prj_x' } : {}));
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const { ids, next } = await ask({ projectId }, 5, after);
    equal(ids.length, next === undefined ? 3 : 5);
    seen.push(...ids);
    after = next;
  } while (after !== undefined);
  deepEqual(seen, wanted.reverse());
});
