/** A worker may crash before or after any effect: its successor makes exactly one complete backup and leaves nothing else. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeAll, describe, test } from 'vitest';
import type { ObjectStore, Upload } from '../../../../shared/destination/index.ts';
import { backupKey } from '../../../../shared/stored-backup/index.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import { createBackupEnv, firstBackupStep } from '../../../harness/env/backup-env.ts';
import { crashPoints } from '../../../harness/faults/crash-injector.ts';

const t = await createBackupEnv();

const paths = Array.from({ length: 12 }, (_, n) => [`a/${n}`, `b/${n}/gone/${n}/c/${n}`, `d/${n}`]).flat();
const sourceProjectId = 'crashes';
beforeAll(() => {
  t.reset(sourceProjectId);
  return t.writePaths(paths, 2_000);
});

class Crash extends Error {}

/** Crashes at the n-th visible effect; from then on nothing it tries has any effect. */
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

  /** True if its result is lost. */
  #ends(number: number): boolean {
    this.isDead ||= number === this.#at && this.#when === 'after';
    return this.isDead;
  }

  attach(): void {
    const dead = new Fault('AccessDeniedException');
    let number = 0;
    // The table handles one write at a time.
    t.table.onWrite = (when) => {
      if (when === 'after') return this.#ends(number) ? dead : undefined;
      const begun = this.#begins();
      number = begun.number;
      return begun.isPrevented ? dead : undefined;
    };
    t.table.onRead = () => (this.isDead ? dead : undefined);
    t.wrapStore = (store) => this.#store(store);
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
      extendLock: (name, state, extension) => alive(() => inner.extendLock(name, state, extension)),
      list: (prefix) => inner.list(prefix),
      remove: (names) => this.#effect(() => inner.remove(names)),
      abortUnfinishedUploads: (prefix) => this.#effect(() => inner.abortUnfinishedUploads(prefix)),
      close: () => inner.close(),
    };
  }
}

const startOptions = { excludeCollections: ['b/3/gone'], includeAuthUsers: true };
const users = [1, 2, 3].map((n) => ({ id: `user${n}`, json: Buffer.from(`{"localId":"user${n}"}`) }));
const expected = () => t.contents().filter(([path]) => !path.startsWith('b/3/gone'));

const prepare = async (): Promise<string> => {
  t.reset(sourceProjectId);
  t.users = users;
  return t.startBackup(startOptions);
};

const assertCompleteAndAlone = async (id: string, where: string): Promise<void> => {
  const record = t.backupOf(id);
  equal(record.status, 'completed', `${where}: ${JSON.stringify(record.error)}`);
  const restored = await t.readBackup(id);
  deepEqual(restored.documents, expected(), where);
  equal(restored.users.length, 3, where);
  deepEqual([record.documentCount, record.documents, record.authUsers], [expected().length, expected().length, 3], where);
  const listed = restored.manifest.objects.map(({ name }) => name);
  deepEqual([...t.store.objects.keys()].sort(), [...listed, 'key', 'manifest'].sort(), `${where}: debris in the store`);
  equal(await t.store.abortUnfinishedUploads(''), 0, `${where}: an upload left open`);
  deepEqual(
    [t.events('backup.started').length, t.events('backup.completed').length, t.events('backup.failed').length],
    [1, 1, 0],
    where,
  );
  deepEqual(t.reportedPercents(), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100], where);
  deepEqual([t.table.find('WORK#'), t.table.find('RUNNING#'), t.table.find('ORG#', 'JOB#')], [[], [], []], where);
  const { backupCount, storageUsed } = t.organization;
  deepEqual([backupCount, storageUsed], [1, record.size], where);
  equal(t.table.find('AUDIT#').length, 1, where);
};

const effectsOfAll = async (): Promise<number> => {
  const id = await prepare();
  const machine = new Machine();
  machine.attach();
  await t.resumeBackup(id, firstBackupStep());
  await assertCompleteAndAlone(id, 'without a crash');
  return machine.effects;
};

describe('backup: after a crash at any effect', () => {
  test('the retried step completes the backup', async () => {
    const effects = await effectsOfAll();
    ok(effects > 20, `${effects} effects`);
    for (const { at, when } of crashPoints(effects)) {
      const id = await prepare();
      const position = firstBackupStep();
      const machine = new Machine(at, when);
      machine.attach();
      await t.resumeBackup(id, position).catch(() => undefined);
      ok(machine.isDead, `nothing died at ${at}`);
      new Machine().attach();
      await t.resumeBackup(id, position);
      await assertCompleteAndAlone(id, `${when} ${at} of ${effects}`);
    }
  });

  test('the restarted workflow completes the backup', async () => {
    const effects = await effectsOfAll();
    for (const { at, when } of crashPoints(effects)) {
      const id = await prepare();
      new Machine(at, when).attach();
      await t.resumeBackup(id, firstBackupStep()).catch(() => undefined);
      new Machine().attach();
      await t.runBackup(id);
      await assertCompleteAndAlone(id, `${when} ${at} of ${effects}`);
    }
  });
});

test('backup: many crashes in a row leave nothing behind', async () => {
  const id = await prepare();
  const position = firstBackupStep();
  for (let at = 2; position.step !== 'end'; at++) {
    new Machine(at % 7, at % 2 ? 'before' : 'after').attach();
    await t.resumeBackup(id, position).catch(() => undefined);
  }
  new Machine().attach();
  await assertCompleteAndAlone(id, 'at last');
  ok(t.table.get(backupKey.archive(t.tenant, id, id)));
});
