import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { backupKey } from '../../../../shared/backup/index.ts';
import { StorageError } from '../../../../shared/destination/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import {
  expireCaptures,
  microsOf,
  momentOf,
  pinnedBackups,
  pitrKey,
  purgeCaptures,
  watchCaptures,
} from '../../../../shared/pitr/index.ts';
import { decideExpiry } from '../../../../shared/pitr/removal/expire-captures.ts';
import { newId, type QueueMessage, StaleReadError } from '../../../../shared/platform/index.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import { destinationId } from '../../../harness/env/backup-env.ts';
import {
  batches,
  type CaptureWorld,
  disable,
  enable,
  newCaptureWorld,
  pass,
  pitrNow,
  projectId,
  put,
  runNextCycle,
  secondsIn,
  server,
  table,
  tenant,
  time,
  untilActive,
} from '../../../harness/env/capture-env.ts';

afterAll(() => server.stop());

const captured = async (): Promise<CaptureWorld> => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable({ retentionDays: 1, precision: 'interval', captureIntervalSeconds: 1_800 });
  await untilActive(world);
  await put(world, { 'users/ada': '1' });
  await runNextCycle(world);
  return world;
};
const forget = ({ engine }: CaptureWorld) =>
  expireCaptures(tenant, projectId, new Date(time.ms + 60_000), engine.clock, engine.openStore);

test('capture expiry: batches and bases outside the windows expire, and the rest stays exact', async () => {
  const world = await captured();
  // As if there were two earlier bases and a batch.
  const pitr = pitrNow();
  const [base] = pitr.bases;
  const [batch] = batches();
  const ago = (hours: number) => momentOf(microsOf(base!.readTime) - hours * 3_600_000_000);
  const older = [48, 24].map((hours) => ({ backupId: newId('backup'), readTime: ago(hours), since: ago(hours) }));
  for (const { backupId } of older) table.put({ ...backupKey.backup(tenant, backupId), id: backupId, pitrBase: true });
  table.put({ ...pitr, bases: [...older, base] });
  const key = pitrKey.batch(tenant, projectId, ago(1), newId('capture'));
  table.put({ ...batch, ...key, from: ago(2), to: ago(1), path: 'old/pitr/1' });
  await (await world.engine.openStore(tenant, {} as never, 'old/pitr/1')).put(batch!.chunk.name, Buffer.from('x'));
  assert.deepEqual(await pinnedBackups(tenant), new Set([...older, base!].map(({ backupId }) => backupId)));
  await forget(world);
  assert.equal(batches().length, 2);
  pass(2 * 24 * 3_600);
  await forget(world);
  assert.deepEqual(batches(), [batch]);
  assert.deepEqual(pitrNow().bases, [older[1], base]);
  assert.equal(pitrNow().keptFrom, base!.readTime);
  const isHeld = older.map(({ backupId }) => table.get(backupKey.backup(tenant, backupId))!.pitrBase);
  assert.deepEqual(isHeld, [undefined, true]);
  assert.equal(world.folders.get('old/pitr/1')!.objects.size, 0);
  assert.equal(world.folders.get(batch!.path)!.objects.size, 1);
  await forget(world);
  assert.deepEqual(batches(), [batch]);
});

test('capture expiry: a base stays while a batch may be encrypted with its key', async () => {
  await captured();
  const at = (minutes: number) => momentOf(time.ms * 1_000 - minutes * 60_000_000);
  const bases = [300, 200, 5, 0].map((ago) => ({ backupId: `${ago}`, readTime: at(ago), since: at(ago) }));
  const kept = decideExpiry({ ...pitrNow(), bases }, new Date(time.ms + 3 * 24 * 3_600_000));
  assert.deepEqual(
    kept?.bases.map(({ backupId }) => backupId),
    ['200', '5', '0'],
  );
});

test('capture expiry: disabled captures expire completely and are no longer watched', async () => {
  const world = await captured();
  await disable();
  pass(3 * 24 * 3_600);
  await forget(world);
  assert.deepEqual([batches().length, pitrNow().bases.length, secondsIn().length], [0, 0, 0]);
  assert.equal(table.get(pitrKey.capturing(tenant, projectId)), undefined);
});

const keptEntries = () => table.find('AUDIT#').filter(({ action }) => action === 'pitr.objects_kept');

test('capture expiry: captures expire even if objects cannot be deleted, which is audited once', async () => {
  const destination = organizationKey.storageDestination(tenant, destinationId);
  const refusing = (world: CaptureWorld, code: 'denied' | 'unavailable') => {
    world.wrap = (store) =>
      Object.assign(Object.create(store) as typeof store, {
        remove: async () => {
          throw new StorageError(code, 'Object Lock');
        },
      });
  };
  const cases: readonly [string, (world: CaptureWorld) => void][] = [
    ['The storage destination is immutable', () => table.put({ ...table.get(destination)!, immutable: true })],
    ['Object Lock', (world) => refusing(world, 'denied')],
    ['The storage destination is gone', () => table.items.delete(`${destination.pk}\n${destination.sk}`)],
  ];
  for (const [reason, happens] of cases) {
    const world = await captured();
    await put(world, { 'users/ada': '2' });
    await runNextCycle(world);
    assert.equal(batches().length, 2);
    await disable();
    pass(3 * 24 * 3_600);
    happens(world);
    const before = keptEntries().length;
    await forget(world);
    assert.deepEqual([batches().length, pitrNow().bases.length], [0, 0]);
    assert.deepEqual(
      keptEntries()
        .slice(before)
        .map(({ details }) => details),
      [{ storageDestinationId: destinationId, reason }],
    );
    assert.equal(table.get(pitrKey.capturing(tenant, projectId)), undefined);
  }
  // An unavailable store is retried, and nothing is audited.
  const world = await captured();
  await disable();
  pass(3 * 24 * 3_600);
  const before = keptEntries().length;
  refusing(world, 'unavailable');
  await assert.rejects(forget(world), StorageError);
  assert.deepEqual([batches().length, keptEntries().length], [1, before]);
});

test('capture expiry: after a crash at any effect released bases can be deleted, and others cannot', async () => {
  for (const dies of ['before', 'after'] as const)
    for (let n = 1, isDead = true; isDead; n++) {
      const world = await captured();
      const [base] = pitrNow().bases;
      const flag = () => table.get(backupKey.backup(tenant, base!.backupId))!.pitrBase;
      await disable();
      pass(3 * 24 * 3_600);
      let writes = 0;
      isDead = false;
      table.onWrite = (when) => {
        if (when === 'before') writes += 1;
        if (writes === n && when === dies) isDead = true;
        return isDead ? new Fault('AccessDeniedException') : undefined;
      };
      await forget(world).catch(() => undefined);
      table.onWrite = () => undefined;
      assert.equal(flag(), pitrNow().bases.length > 0 ? true : undefined, `${dies} write ${n}`);
      await forget(world);
      assert.deepEqual([flag(), pitrNow().bases, batches()], [undefined, [], []], `${dies} write ${n}`);
    }
});

test('capture expiry: enabling again concurrently does not bring back expired captures', async () => {
  const world = await captured();
  await disable();
  pass(3 * 24 * 3_600);
  // The call reads the record, the expiry runs, and then the call commits.
  const before = pitrNow();
  const changes: readonly Partial<typeof before>[] = [
    { keptFrom: before.bases[0]!.readTime, bases: [] },
    { keptFrom: before.bases[0]!.readTime },
    { bases: [] },
  ];
  for (const change of changes) {
    let writes = 0;
    table.put(before);
    table.onWrite = (when) => {
      if (when === 'before' && ++writes === 1) table.put({ ...before, ...change });
      return undefined;
    };
    await assert.rejects(enable({ retentionDays: 30 }), StaleReadError);
    table.onWrite = () => undefined;
  }
  table.put(before);
  await forget(world);
  await enable({ retentionDays: 30 });
  assert.deepEqual([secondsIn().length, batches().length, pitrNow().status], [0, 0, 'starting']);
});

test('capture expiry: more bases than one transaction releases take several', async () => {
  const world = await captured();
  const [base] = pitrNow().bases;
  const older = Array.from({ length: 200 }, (_, n) => {
    const readTime = momentOf(microsOf(base!.readTime) - (200 - n) * 24 * 3_600_000_000);
    return { backupId: newId('backup'), readTime, since: readTime };
  });
  for (const { backupId } of older) table.put({ ...backupKey.backup(tenant, backupId), id: backupId, pitrBase: true });
  table.put({ ...pitrNow(), bases: [...older, base!] });
  await disable();
  pass(3 * 24 * 3_600);
  const held = () => older.filter(({ backupId }) => table.get(backupKey.backup(tenant, backupId))!.pitrBase);
  const asked = () => table.find('', 'TASK#').filter((item) => JSON.stringify(item).includes('expire-captures')).length;
  for (const left of [111, 21, 0]) {
    const before = asked();
    await forget(world);
    assert.deepEqual([pitrNow().bases.length, held().length, asked() - before], left > 0 ? [left, left - 1, 1] : [0, 0, 0]);
  }
});

test('capture watchdog: restarts late cycles and enqueues expiry once a day, under one sender per tenant', async () => {
  const world = await captured();
  const sent: QueueMessage[] = [];
  const watch = () =>
    watchCaptures({
      clock: world.engine.clock,
      tenantOf: () => tenant,
      send: async (_queue, messages) => {
        sent.push(...messages);
        return new Set();
      },
    });
  assert.deepEqual(await watch(), { captured: 1, restarted: 0, expiring: 0 });
  pass(1_800 + 500);
  assert.deepEqual(await watch(), { captured: 1, restarted: 1, expiring: 0 });
  const { task } = JSON.parse(sent[0]!.body) as { task: object };
  assert.deepEqual(task, { kind: 'capture', projectId, turn: pitrNow().turn });
  pass(24 * 3_600);
  assert.equal((await watch()).expiring, 1);
  assert.equal((await watch()).expiring, 0);
  assert.deepEqual(
    sent.map(({ sender }) => sender),
    sent.map(() => `ORG#${tenant.organizationId}`),
  );
});

test('capture purge: deletes every item, and the objects only if backup data is to be deleted', async () => {
  for (const deleteBackupData of [true, false]) {
    const world = await captured();
    const [batch] = batches();
    const options = { deleteBackupData, isPatient: false };
    assert.ok(await purgeCaptures(tenant, options, new Date(time.ms + 60_000), world.engine.clock, world.engine.openStore));
    assert.deepEqual(table.find('PITR#'), []);
    assert.deepEqual(table.find('DUE#CAPTURE'), []);
    assert.equal(world.folders.get(batch!.path)!.objects.size, deleteBackupData ? 0 : 1);
  }
});

test('capture expiry: a cycle that conflicts with it is retried soon', async () => {
  const world = await captured();
  time.ms = Date.parse(pitrNow().nextTurnAt!);
  const { turn: due } = pitrNow();
  await put(world, { 'users/ada': '2' });
  table.onWrite = (when) => {
    if (when === 'before') table.put({ ...pitrNow(), keptFrom: pitrNow().bases[0]!.readTime });
    return undefined;
  };
  assert.deepEqual(await runNextCycle(world), { turn: due, delaySeconds: 5 });
  table.onWrite = () => undefined;
  assert.equal((await runNextCycle(world))!.turn, due + 1);
  assert.equal(batches().length, 2);
});
