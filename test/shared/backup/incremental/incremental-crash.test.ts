/** A worker of an incremental backup may die before or after anything it does; and its parent may be deleted at the same moment. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  asIncrementalOf,
  type BackupRecord,
  deleteBackup,
  findDependentBackup,
  findParent,
  startBackup,
} from '../../../../shared/backup/index.ts';
import {
  type DestinationRecord,
  type MemoryStore,
  type ObjectStore,
  StorageError,
  type Upload,
} from '../../../../shared/destination/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit, StaleReadError } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import { type Fields, newReadingWorld, put, type ReadingWorld, recordOf } from '../../../harness/env/archive-env.ts';
import {
  begin,
  contents,
  destinationId,
  eventsOf,
  projectId,
  runFrom,
  runWorkflow,
  server,
  start,
  table,
  tenant,
} from '../../../harness/env/backup-env.ts';
import { makeLink, nextLink, readLink, wanted } from '../../../harness/env/chain-links.ts';
import { CrashInjector } from '../../../harness/faults/crash-injector.ts';

afterAll(() => server.stop());

const text = (stringValue: string): Fields => ({ text: { stringValue } });

let world: ReadingWorld;
let full: BackupRecord;
/** All that there is before the incremental one is begun. */
let items: Map<string, object>;
let objects: Map<string, Map<string, Uint8Array>>;

beforeAll(async () => {
  world = newReadingWorld();
  await put(world, { 'a/1': text('1'), 'a/2': text('2'), 'b/gone/c/1': text('3'), 'z/1': text('4'), 'z/2': text('5') });
  full = await makeLink(world);
  await put(world, { 'a/2': text('changed'), 'a/3': text('new'), 'b/gone/c/1': undefined, 'z/2': undefined });
  items = new Map(table.items);
  objects = new Map([...world.stores].map(([folder, store]) => [folder, new Map(store.objects)]));
});

const again = (): void => {
  table.items.clear();
  for (const [key, item] of items) table.items.set(key, item as never);
  for (const [folder, store] of world.stores) {
    store.objects.clear();
    for (const [name, bytes] of objects.get(folder) ?? []) store.objects.set(name, bytes);
  }
};

const mortalStore = (machine: CrashInjector, inner: MemoryStore): ObjectStore => {
  const upload = (one: Upload): Upload => ({
    write: (pieces) => machine.effect(() => one.write(pieces)),
    finish: () => machine.effect(() => one.finish()),
    abort: () => machine.alive(() => one.abort()),
  });
  return {
    put: (...all) => machine.effect(() => inner.put(...all)),
    upload: (...all) => upload(inner.upload(...all)),
    get: (...all) => machine.alive(() => inner.get(...all)),
    head: (name) => machine.alive(() => inner.head(name)),
    list: (prefix) => inner.list(prefix),
    remove: (names) => machine.effect(() => inner.remove(names)),
    abortUnfinishedUploads: (prefix) => machine.effect(() => inner.abortUnfinishedUploads(prefix)),
    close: () => inner.close(),
  };
};

const attach = (machine: CrashInjector): void => {
  table.onWrite = (when) => machine.atWrite(when);
  table.onRead = () => machine.atRead();
  world.throughReading = (store) => mortalStore(machine, store);
};

const isWholeAndAlone = async (id: string, where: string): Promise<void> => {
  const record = recordOf(id);
  deepEqual([record.status, record.type, record.needs], ['completed', 'incremental', [full.id]], where);
  const held = await readLink(world, record);
  deepEqual([held.documents, held.gone], [contents(world), ['b/gone/c/1', 'z/2']], where);
  deepEqual([record.documentCount, record.documents], [4, 4], where);
  const own = ['chunk/', 'index/', 'key', 'manifest'];
  const stored = [...world.stores.get(record.path)!.objects.keys()].sort();
  deepEqual(
    stored.map((name, n) => name.startsWith(own[n]!)),
    own.map(() => true),
    `${where}: ${stored}`,
  );
  deepEqual([eventsOf('backup.completed').length, eventsOf('backup.failed').length], [2, 0], where);
  deepEqual([table.find('WORK#'), table.find('RUNNING#'), table.find('ORG#', 'JOB#')], [[], [], []], where);
  equal(recordOf(full.id).builtUpon, 1, where);
};

describe('incremental: a crash', () => {
  for (const when of ['before', 'after'] as const)
    test(`${when} each effect of a worker: the next run completes one link and leaves nothing else`, async () => {
      let effects = Number.POSITIVE_INFINITY;
      for (let at = 0; at <= effects; at++) {
        again();
        const id = await begin(world, await nextLink());
        const position = start();
        // The first does not die, and counts.
        const machine = at === 0 ? new CrashInjector() : new CrashInjector(at, when);
        attach(machine);
        await runFrom(world, id, position).catch(() => undefined);
        if (at === 0) effects = machine.effects;
        else ok(machine.isDead, `nothing died at ${at}`);
        attach(new CrashInjector());
        await (at % 2 === 0 ? runFrom(world, id, position) : runWorkflow(world, id));
        await isWholeAndAlone(id, `${when} ${at} of ${effects}`);
      }
      ok(effects > 10);
    });
});

describe('incremental: a parent that is deleted concurrently', () => {
  const starting = async () => {
    const parent = await findParent(tenant, { id: projectId }, wanted);
    if (!parent) return undefined;
    const place = {
      tenant,
      project: table.get<ProjectRecord>(projectKey.project(tenant, projectId))!,
      destination: table.get<DestinationRecord>(organizationKey.storageDestination(tenant, destinationId))!,
      encryption: { mode: 'kms', keyId: 'key' } as const,
    };
    const { collections, excludeCollections } = wanted;
    const scope = { collections, excludeCollections, includeAuthUsers: false };
    const by = { trigger: 'manual', createdBy: { type: 'user', id: 'usr_x' } } as const;
    return startBackup(place, { ...scope, ...by, ...asIncrementalOf(parent) }, new Date());
  };
  const removing = async () =>
    deleteBackup(tenant, recordOf(full.id), await findDependentBackup(tenant, recordOf(full.id)), new Date());

  test('is deleted, and the new backup is decided again without it', async () => {
    again();
    const begun = (await starting())!;
    await commit((await removing()).writes);
    await rejects(commit(begun.writes), StaleReadError);
    equal(await starting(), undefined);
  });

  test('stays if the child started first, and the delete names the child', async () => {
    again();
    const { writes } = await removing();
    const begun = (await starting())!;
    await commit(begun.writes);
    await rejects(commit(writes), StaleReadError);
    const { id } = begun.backup;
    await rejects(removing, { code: 'CONFLICT', details: { neededBy: id } });
    await runWorkflow(world, id);
    await rejects(removing, { code: 'CONFLICT', details: { neededBy: id } });
    await isWholeAndAlone(id, 'it was never gone');
  });

  test('can be deleted once its child has failed', async () => {
    again();
    const id = await begin(world, await nextLink());
    world.throughReading = (store, folder) => {
      if (folder === recordOf(id).path) throw new StorageError('denied', 'The bucket refused: AccessDenied');
      return store;
    };
    await runWorkflow(world, id, { triesMax: 1 });
    world.throughReading = (store) => store;
    equal(recordOf(id).status, 'failed');
    await commit((await removing()).writes);
    equal(recordOf(full.id).status, 'deleted');
  });
});
