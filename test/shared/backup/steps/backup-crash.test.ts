/** A worker may die before or after anything it does: whoever goes on for it makes exactly one backup, whole, and leaves nothing else. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { backupKey } from '../../../../shared/backup/index.ts';
import type { ObjectStore, Upload } from '../../../../shared/destination/index.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import {
  begin,
  contents,
  eventsOf,
  newWorld,
  organizationNow,
  readBack,
  recordOf,
  reportedPercents,
  runFrom,
  runWorkflow,
  server,
  start,
  table,
  tenant,
  type World,
  writePaths,
} from '../../../harness/env/backup-env.ts';
import { crashPoints } from '../../../harness/faults/crash-injector.ts';

const paths = Array.from({ length: 12 }, (_, n) => [`a/${n}`, `b/${n}/gone/${n}/c/${n}`, `d/${n}`]).flat();
const sourceProjectId = 'crashes';
beforeAll(() => writePaths(newWorld(sourceProjectId), paths, 2_000));
afterAll(() => server.stop());

class Crash extends Error {}

/** Dies at the n-th thing it does that others can see; from then on nothing it tries has any effect. */
class Machine {
  effects = 0;
  isDead = false;
  readonly #at: number;
  readonly #when: 'before' | 'after';

  constructor(at = Number.POSITIVE_INFINITY, when: 'before' | 'after' = 'before') {
    this.#at = at;
    this.#when = when;
  }

  /** Numbers an effect; true if it must not happen. */
  #begins(): { readonly number: number; readonly isPrevented: boolean } {
    if (this.isDead) return { number: 0, isPrevented: true };
    const number = ++this.effects;
    this.isDead = number === this.#at && this.#when === 'before';
    return { number, isPrevented: this.isDead };
  }

  /** True if nobody hears of it. */
  #ends(number: number): boolean {
    this.isDead ||= number === this.#at && this.#when === 'after';
    return this.isDead;
  }

  attach(world: World): void {
    const dead = new Fault('AccessDeniedException');
    let number = 0;
    // The table does one thing after the other.
    table.onWrite = (when) => {
      if (when === 'after') return this.#ends(number) ? dead : undefined;
      const begun = this.#begins();
      number = begun.number;
      return begun.isPrevented ? dead : undefined;
    };
    table.onRead = () => (this.isDead ? dead : undefined);
    world.through = (store) => this.#store(store);
  }

  async #effect<T>(work: () => Promise<T>): Promise<T> {
    const { number, isPrevented } = this.#begins();
    if (isPrevented) throw new Crash();
    const result = await work();
    if (this.#ends(number)) throw new Crash();
    return result;
  }

  #store(inner: ObjectStore): ObjectStore {
    const alive = async <T>(work: () => Promise<T>): Promise<T> => {
      if (this.isDead) throw new Crash();
      return work();
    };
    const upload = (one: Upload): Upload => ({
      write: (pieces) => this.#effect(() => one.write(pieces)),
      finish: () => this.#effect(() => one.finish()),
      abort: () => alive(() => one.abort()),
    });
    return {
      put: (name, bytes, options) => this.#effect(() => inner.put(name, bytes, options)),
      upload: (name, options) => upload(inner.upload(name, options)),
      get: (name, range) => alive(() => inner.get(name, range)),
      head: (name) => alive(() => inner.head(name)),
      list: (prefix) => inner.list(prefix),
      remove: (names) => this.#effect(() => inner.remove(names)),
      abortUnfinishedUploads: (prefix) => this.#effect(() => inner.abortUnfinishedUploads(prefix)),
      close: () => inner.close(),
    };
  }
}

const wish = { excludeCollections: ['b/3/gone'], includeAuthUsers: true };
const users = [1, 2, 3].map((n) => ({ id: `user${n}`, json: Buffer.from(`{"localId":"user${n}"}`) }));
const expected = (world: World) => contents(world).filter(([path]) => !path.startsWith('b/3/gone'));

const prepared = async (): Promise<{ world: World; id: string }> => {
  const world = newWorld(sourceProjectId);
  world.users = users;
  return { world, id: await begin(world, wish) };
};

const isWholeAndAlone = async (world: World, id: string, where: string): Promise<void> => {
  const record = recordOf(id);
  equal(record.status, 'completed', `${where}: ${JSON.stringify(record.error)}`);
  const restored = await readBack(world, id);
  deepEqual(restored.documents, expected(world), where);
  equal(restored.users.length, 3, where);
  deepEqual(
    [record.documentCount, record.documents, record.authUsers],
    [expected(world).length, expected(world).length, 3],
    where,
  );
  const listed = restored.manifest.objects.map(({ name }) => name);
  deepEqual([...world.store.objects.keys()].sort(), [...listed, 'key', 'manifest'].sort(), `${where}: debris in the store`);
  equal(await world.store.abortUnfinishedUploads(''), 0, `${where}: an upload left open`);
  deepEqual(
    [eventsOf('backup.started').length, eventsOf('backup.completed').length, eventsOf('backup.failed').length],
    [1, 1, 0],
    where,
  );
  deepEqual(reportedPercents(), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100], where);
  deepEqual([table.find('WORK#'), table.find('RUNNING#'), table.find('ORG#', 'JOB#')], [[], [], []], where);
  const { backupCount, storageUsed } = organizationNow();
  deepEqual([backupCount, storageUsed], [1, record.size], where);
  equal(table.find('AUDIT#').length, 1, where);
};

const effectsOfAll = async (): Promise<number> => {
  const { world, id } = await prepared();
  const machine = new Machine();
  machine.attach(world);
  await runFrom(world, id, start());
  await isWholeAndAlone(world, id, 'without a crash');
  return machine.effects;
};

describe('backup: after a crash at any effect', () => {
  test('the retried step completes the backup', async () => {
    const effects = await effectsOfAll();
    ok(effects > 20, `${effects} effects`);
    for (const { at, when } of crashPoints(effects)) {
      const { world, id } = await prepared();
      const position = start();
      const machine = new Machine(at, when);
      machine.attach(world);
      await runFrom(world, id, position).catch(() => undefined);
      ok(machine.isDead, `nothing died at ${at}`);
      new Machine().attach(world);
      await runFrom(world, id, position);
      await isWholeAndAlone(world, id, `${when} ${at} of ${effects}`);
    }
  });

  test('the restarted workflow completes the backup', async () => {
    const effects = await effectsOfAll();
    for (const { at, when } of crashPoints(effects)) {
      const { world, id } = await prepared();
      new Machine(at, when).attach(world);
      await runFrom(world, id, start()).catch(() => undefined);
      new Machine().attach(world);
      await runWorkflow(world, id);
      await isWholeAndAlone(world, id, `${when} ${at} of ${effects}`);
    }
  });
});

test('backup: many crashes in a row leave nothing behind', async () => {
  const { world, id } = await prepared();
  const position = start();
  for (let at = 2; position.step !== 'end'; at++) {
    new Machine(at % 7, at % 2 ? 'before' : 'after').attach(world);
    await runFrom(world, id, position).catch(() => undefined);
  }
  new Machine().attach(world);
  await isWholeAndAlone(world, id, 'at last');
  ok(table.get(backupKey.archive(tenant, id, id)));
});
