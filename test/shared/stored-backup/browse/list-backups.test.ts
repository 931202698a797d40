import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { idBounds } from '../../../../shared/platform/index.ts';
import type { BackupFilter } from '../../../../shared/stored-backup/browse/list-backups.ts';
import { backupKey, listBackups } from '../../../../shared/stored-backup/index.ts';
import { scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { backupOf, now, projectId, tenant } from '../../../harness/builders/sample-backup.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

let table = new InMemoryTable();
const aws = await scriptAws();
afterAll(() => aws.stop());
beforeEach(() => {
  table = new InMemoryTable();
  aws.play(table.script);
});

const idAt = (moment: string, n = 0): string =>
  idBounds('backup', new Date(moment), new Date(moment)).first.slice(0, -2) + String(n).padStart(2, '0');
const put = (moment: string, more: object = {}, n = 0): string => {
  const id = idAt(moment, n);
  table.put({ ...backupOf({ id }), ...backupKey.backup(tenant, id), ...more });
  return id;
};
const ask = async (filter: BackupFilter = {}, limit = 50, from?: string) => {
  const { backups, next } = await listBackups(tenant, { filter, page: { limit, after: from }, now });
  return { ids: backups.map(({ id }) => id), next };
};

test('list: newest first; retired backups only if requested, moving and purged ones never', async () => {
  const a = put('2026-01-01T00:00:00Z');
  const b = put('2026-01-02T00:00:00Z', { status: 'failed' });
  const gone = put('2026-01-03T00:00:00Z', { status: 'deleted', ttl: now.getTime() / 1_000 + 60 });
  const expired = put('2026-01-03T12:00:00Z', { status: 'expired', ttl: now.getTime() / 1_000 + 60 });
  put('2026-01-04T00:00:00Z', { status: 'deleted', ttl: now.getTime() / 1_000 - 60 });
  put('2026-01-05T00:00:00Z', { arriving: 'move' });
  deepEqual(await ask(), { ids: [b, a], next: undefined });
  deepEqual((await ask({ status: 'deleted' })).ids, [gone]);
  deepEqual((await ask({ status: 'expired' })).ids, [expired]);
  deepEqual((await ask({ status: 'failed' })).ids, [b]);
});

test('list: filters by project, type and inclusive time range, a bare date being its whole day', async () => {
  const a = put('2026-01-01T00:00:00Z');
  const b = put('2026-01-02T23:59:59.999Z', { projectId: 'prj_other' });
  const c = put('2026-01-03T00:00:00Z', { type: 'incremental' });
  deepEqual((await ask({ projectId })).ids, [c, a]);
  deepEqual((await ask({ type: 'incremental' })).ids, [c]);
  deepEqual((await ask({ from: '2026-01-01', to: '2026-01-02' })).ids, [b, a]);
  deepEqual((await ask({ from: '2026-01-01T00:00:00.001Z', to: '2026-01-02T23:59:59.999Z' })).ids, [b]);
  deepEqual((await ask({ from: '2026-01-04' })).ids, []);
  await rejects(ask({ from: '2026-01-02', to: '2026-01-01' }), { code: 'VALIDATION_ERROR' });
});

test('list: without internal backups, a base of captures stays', async () => {
  const own = put('2026-01-01T00:00:00Z');
  const base = put('2026-01-02T00:00:00Z', { trigger: 'pitr-base' });
  const built = put('2026-01-03T00:00:00Z', { trigger: 'pitr-base', retentionDays: 7 });
  const safety = put('2026-01-04T00:00:00Z', { trigger: 'safety' });
  deepEqual((await ask()).ids, [safety, built, base, own]);
  deepEqual((await ask({ internal: 'exclude' })).ids, [base, own]);
  deepEqual((await ask({ internal: 'exclude', trigger: 'safety' })).ids, [safety]);
});

test('list: pages are full, complete, and the last has no cursor', async () => {
  // Every second one is hidden, so what is read is not what is shown.
  const shown = Array.from({ length: 40 }, (_, n) => put('2026-01-01T00:00:00Z', n % 2 ? { status: 'deleted' } : {}, n))
    .filter((_, n) => n % 2 === 0)
    .reverse();
  table.pageMax = 7;
  const seen: string[] = [];
  for (let from: string | undefined, pages = 1; ; pages++) {
    const { ids, next } = await ask({}, 5, from);
    equal(ids.length, 5);
    seen.push(...ids);
    from = next;
    if (next === undefined) break;
    ok(pages < 10);
  }
  deepEqual(seen, shown);
});

test('list: a selective filter yields a short page with a cursor after a bounded number of reads', async () => {
  table.pageMax = 2;
  const oldest = put('2026-01-01T00:00:00Z', { status: 'failed' });
  for (let n = 0; n < 60; n++) put('2026-01-02T00:00:00Z', {}, n);
  const first = await ask({ status: 'failed' });
  deepEqual(first.ids, []);
  ok(first.next);
  equal(aws.sent('Query').length, 20);
  deepEqual(await ask({ status: 'failed' }, 50, first.next), { ids: [oldest], next: undefined });
});
