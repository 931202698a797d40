/** Which backup an incremental one is compared with, and what is said where there is none. */
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { beforeEach, describe, test } from 'vitest';
import { findParent } from '../../../../shared/backup/incremental/find-parent.ts';
import { requireParent, resolveType } from '../../../../shared/backup/index.ts';
import { chainHardMax } from '../../../../shared/contract/limits.ts';
import type { DestinationRecord } from '../../../../shared/destination/index.ts';
import { newId } from '../../../../shared/platform/index.ts';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';
import { answerInProcess } from '../../../harness/aws/in-process.ts';
import { backupOf, project, tenant } from '../../../harness/builders/sample-backup.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
answerInProcess(table.script);
beforeEach(() => table.items.clear());

const destination = { id: newId('storageDestination') } as DestinationRecord;
const scope = { collections: ['a', 'b'], excludeCollections: ['a/1/c', 'b/1/c'] };
const wish = { ...scope, storageDestinationId: destination.id };

let minutes = 0;
/** Each a minute after the one before. */
const there = (more: Partial<BackupRecord> = {}): BackupRecord => {
  const at = new Date(Date.parse('2026-03-01T10:00:00.000Z') + ++minutes * 60_000);
  const id = newId('backup', at);
  const backup = backupOf({
    id,
    collections: ['b', 'a'],
    excludedCollections: ['b/1/c', 'a/1/c'],
    storageDestination: { id: destination.id, name: 'Bucket', type: 's3' },
    readTime: at.toISOString(),
    chainLength: 0,
    ...more,
  });
  table.put(backup);
  return backup;
};
const found = async () => (await findParent(tenant, project, wish))?.id;
const resolved = () => resolveType({ tenant, project, destination }, { type: 'incremental', ...scope });

describe('find-parent: of the suitable backups', () => {
  test('the one with the latest read time is chosen, full or incremental, with its collections in any order', async () => {
    there();
    const latest = there({ type: 'incremental', chainLength: 3 });
    equal(await found(), latest.id);
    deepEqual(await resolved(), { type: 'incremental', parentBackupId: latest.id, chainLength: 4 });
  });

  test('of two with one read time the shorter chain is chosen; a later read time wins over a later full backup', async () => {
    const link = there({ type: 'incremental', chainLength: 24 });
    const made = there({ synthesizedFrom: link.id, readTime: link.readTime });
    equal(await found(), made.id);
    const next = there({ type: 'incremental', chainLength: 25 });
    there({ synthesizedFrom: made.id, readTime: link.readTime });
    equal(await found(), next.id);
  });

  test('none is searched for a full backup', async () => {
    deepEqual(await resolveType({ tenant, project, destination }, { type: 'full', ...scope }), { type: 'full' });
  });
});

describe('find-parent: not suitable is', () => {
  const archive = { organization: tenant.organizationId, project: newId('project'), backup: newId('backup') };
  const cases: Readonly<Record<string, [Partial<BackupRecord>, RegExp]>> = {
    'what holds single documents': [{ isPartial: true }, /is partial/],
    'what was found damaged': [{ damagedDepth: 'structure' }, /is damaged/],
    'what is being moved in': [{ arriving: 'move' }, /being moved/],
    'what is being moved away': [{ leaving: 'move' }, /being moved/],
    'what was made in another project': [{ archive }, /another organization or project/],
    'what lies elsewhere': [{ storageDestination: { id: 'dst_x', name: '', type: 's3' } }, /another storage destination/],
    'what is of other collections': [{ collections: ['a'] }, /other collections/],
    'what leaves out others': [{ excludedCollections: [] }, /other collections/],
    'the end of a chain that is too long': [{ type: 'incremental', chainLength: chainHardMax }, /chain of 48/],
  };
  for (const [what, [more, reason]] of Object.entries(cases))
    test(`${what}: a request gets the reason, a schedule a full backup with the reason, and an earlier suitable one is chosen`, async () => {
      const { id } = there(more);
      await rejects(requireParent(tenant, project, wish), (error: Error & { code: string }) => {
        equal(error.code, 'CONFLICT');
        match(error.message, reason);
        return error.message.includes(id);
      });
      const { type, fullBecause } = await resolved();
      equal(type, 'full');
      match(fullBecause!, reason);
      const earlier = there();
      there(more);
      equal(await found(), earlier.id);
    });

  test('one that depends on a damaged backup, or shares objects with it', async () => {
    const first = there();
    const second = there({ type: 'incremental', chainLength: 1, needs: [first.id] });
    const third = there({ type: 'incremental', chainLength: 2, needs: [first.id] });
    equal(await found(), third.id);
    table.put({ ...second, damagedDepth: 'full' });
    equal(await found(), undefined);
    const told = (await resolved()).fullBecause!;
    match(told, /depends on a damaged backup, or shares/);
    match(told, new RegExp(third.id));
    const full = there();
    equal(await found(), full.id, 'a full one stands by itself');
    there({ type: 'incremental', chainLength: 1, needs: [full.id] });
    table.put({ ...full, damagedDepth: 'sample' });
    equal(await found(), undefined);
  });

  test('one that is not completed, or of another project', async () => {
    for (const status of ['pending', 'running', 'failed', 'cancelled', 'expired', 'deleted'] as const) there({ status });
    there({ projectId: newId('project') });
    equal(await found(), undefined);
    match((await resolved()).fullBecause!, /no completed backup yet/);
  });
});

describe('find-parent: with many backups', () => {
  test('at most 500 of the project are searched; beyond them a full one is made', async () => {
    const fitting = there();
    for (let n = 0; n < 499; n++) there({ collections: ['others'] });
    equal(await found(), fitting.id);
    there({ collections: ['others'] });
    equal(await found(), undefined);
    match((await resolved()).fullBecause!, /other collections/);
  });

  test('a chain that reaches further back than the search is not continued, because it may be damaged', async () => {
    const first = there({ damagedDepth: 'full' });
    for (let n = 0; n < 500; n++) there({ collections: ['others'] });
    there({ type: 'incremental', chainLength: 1, needs: [first.id] });
    equal(await found(), undefined);
    equal(await found(), undefined);
    const full = there();
    equal(await found(), full.id);
  });
});
