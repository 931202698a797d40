import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { microsOf, momentOf, pinnedBackups, pitrKey, purgeCaptures, watchCaptures } from '../../../../shared/pitr/index.ts';
import { decideCaptureExpiry } from '../../../../shared/pitr/removal/expire-captures.ts';
import { newId, type QueueMessage, StaleReadError } from '../../../../shared/platform/index.ts';
import { backupKey } from '../../../../shared/stored-backup/index.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

const captured = async (): Promise<CaptureEnv> => {
  const t = await createActiveCapture(
    { 'users/ada': '0' },
    { retentionDays: 1, precision: 'interval', captureIntervalSeconds: 1_800 },
  );
  await t.put({ 'users/ada': '1' });
  await t.runNextCycle();
  return t;
};

test('capture expiry: batches and bases outside the windows expire, and the rest stays exact', async () => {
  const t = await captured();
  // As if there were two earlier bases and a batch.
  const pitr = t.pitr;
  const [base] = pitr.bases;
  const [batch] = t.batches;
  const ago = (hours: number) => momentOf(microsOf(base!.readTime) - hours * 3_600_000_000);
  const older = [48, 24].map((hours) => ({ backupId: newId('backup'), readTime: ago(hours), since: ago(hours) }));
  for (const { backupId } of older) t.table.put({ ...backupKey.backup(t.tenant, backupId), id: backupId, pitrBase: true });
  t.table.put({ ...pitr, bases: [...older, base] });
  const key = pitrKey.batch(t.tenant, t.projectId, { to: ago(1), id: newId('capture') });
  t.table.put({ ...batch, ...key, from: ago(2), to: ago(1), path: 'old/pitr/1' });
  await (await t.deps.openStore(t.tenant, {} as never, 'old/pitr/1')).put(batch!.chunk.name, Buffer.from('x'));
  assert.deepEqual(await pinnedBackups(t.tenant), new Set([...older, base!].map(({ backupId }) => backupId)));
  await t.expire();
  assert.equal(t.batches.length, 2);
  t.pass(2 * 24 * 3_600);
  await t.expire();
  assert.deepEqual(t.batches, [batch]);
  assert.deepEqual(t.pitr.bases, [older[1], base]);
  assert.equal(t.pitr.keptFrom, base!.readTime);
  const isHeld = older.map(({ backupId }) => t.table.get(backupKey.backup(t.tenant, backupId))!.pitrBase);
  assert.deepEqual(isHeld, [undefined, true]);
  assert.equal(t.folders.get('old/pitr/1')!.objects.size, 0);
  assert.equal(t.folders.get(batch!.path)!.objects.size, 1);
  await t.expire();
  assert.deepEqual(t.batches, [batch]);
});

test('capture expiry: a base stays while a batch may be encrypted with its key', async () => {
  const t = await captured();
  const at = (minutes: number) => momentOf(t.nowMs * 1_000 - minutes * 60_000_000);
  const bases = [300, 200, 5, 0].map((ago) => ({ backupId: `${ago}`, readTime: at(ago), since: at(ago) }));
  const kept = decideCaptureExpiry({ ...t.pitr, bases }, { now: new Date(t.nowMs + 3 * 24 * 3_600_000) });
  assert.deepEqual(
    kept?.bases.map(({ backupId }) => backupId),
    ['200', '5', '0'],
  );
});

test('capture expiry: disabled captures expire completely and are no longer watched', async () => {
  const t = await captured();
  await t.disable();
  t.pass(3 * 24 * 3_600);
  await t.expire();
  assert.deepEqual([t.batches.length, t.pitr.bases.length, t.secondsIn().length], [0, 0, 0]);
  assert.equal(t.table.get(pitrKey.capturing(t.tenant, t.projectId)), undefined);
});

test('capture expiry: captures expire even if objects cannot be deleted, which is audited once', async () => {
  const destinationOf = (t: CaptureEnv) => organizationKey.storageDestination(t.tenant, t.destinationId);
  const refusing = (t: CaptureEnv, code: 'denied' | 'unavailable') => {
    t.wrap = (store) =>
      Object.assign(Object.create(store) as typeof store, {
        remove: async () => {
          throw new StorageError(code, 'Object Lock');
        },
      });
  };
  const cases: readonly [string, (t: CaptureEnv) => void][] = [
    ['The storage destination is immutable', (t) => t.table.put({ ...t.table.get(destinationOf(t))!, immutable: true })],
    ['Object Lock', (t) => refusing(t, 'denied')],
    ['The storage destination was deleted', (t) => t.table.items.delete(Object.values(destinationOf(t)).join('\n'))],
  ];
  for (const [reason, happens] of cases) {
    const t = await captured();
    await t.put({ 'users/ada': '2' });
    await t.runNextCycle();
    assert.equal(t.batches.length, 2);
    await t.disable();
    t.pass(3 * 24 * 3_600);
    happens(t);
    const before = t.audited('pitr.objects_kept').length;
    await t.expire();
    assert.deepEqual([t.batches.length, t.pitr.bases.length], [0, 0]);
    assert.deepEqual(
      t
        .audited('pitr.objects_kept')
        .slice(before)
        .map(({ details }) => details),
      [{ storageDestinationId: t.destinationId, reason }],
    );
    assert.equal(t.table.get(pitrKey.capturing(t.tenant, t.projectId)), undefined);
  }
  // An unavailable store is retried, and nothing is audited.
  const t = await captured();
  await t.disable();
  t.pass(3 * 24 * 3_600);
  const before = t.audited('pitr.objects_kept').length;
  refusing(t, 'unavailable');
  await assert.rejects(t.expire(), StorageError);
  assert.deepEqual([t.batches.length, t.audited('pitr.objects_kept').length], [1, before]);
});

test('capture expiry: after a crash at any effect released bases can be deleted, and others cannot', async () => {
  for (const dies of ['before', 'after'] as const)
    for (let n = 1, isDead = true; isDead; n++) {
      const t = await captured();
      const [base] = t.pitr.bases;
      const flag = () => t.table.get(backupKey.backup(t.tenant, base!.backupId))!.pitrBase;
      await t.disable();
      t.pass(3 * 24 * 3_600);
      let writes = 0;
      isDead = false;
      t.table.onWrite = (when) => {
        if (when === 'before') writes += 1;
        if (writes === n && when === dies) isDead = true;
        return isDead ? new Fault('AccessDeniedException') : undefined;
      };
      await t.expire().catch(() => undefined);
      t.table.onWrite = () => undefined;
      assert.equal(flag(), t.pitr.bases.length > 0 ? true : undefined, `${dies} write ${n}`);
      await t.expire();
      assert.deepEqual([flag(), t.pitr.bases, t.batches], [undefined, [], []], `${dies} write ${n}`);
    }
});

test('capture expiry: enabling again concurrently does not bring back expired captures', async () => {
  const t = await captured();
  await t.disable();
  t.pass(3 * 24 * 3_600);
  // The call reads the record, the expiry runs, and then the call commits.
  const before = t.pitr;
  const changes: readonly Partial<typeof before>[] = [
    { keptFrom: before.bases[0]!.readTime, bases: [] },
    { keptFrom: before.bases[0]!.readTime },
    { bases: [] },
  ];
  for (const change of changes) {
    let writes = 0;
    t.table.put(before);
    t.table.onWrite = (when) => {
      if (when === 'before' && ++writes === 1) t.table.put({ ...before, ...change });
      return undefined;
    };
    await assert.rejects(t.enable({ retentionDays: 30 }), StaleReadError);
    t.table.onWrite = () => undefined;
  }
  t.table.put(before);
  await t.expire();
  await t.enable({ retentionDays: 30 });
  assert.deepEqual([t.secondsIn().length, t.batches.length, t.pitr.status], [0, 0, 'starting']);
});

test('capture expiry: more bases than one transaction releases take several', async () => {
  const t = await captured();
  const [base] = t.pitr.bases;
  const older = Array.from({ length: 200 }, (_, n) => {
    const readTime = momentOf(microsOf(base!.readTime) - (200 - n) * 24 * 3_600_000_000);
    return { backupId: newId('backup'), readTime, since: readTime };
  });
  for (const { backupId } of older) t.table.put({ ...backupKey.backup(t.tenant, backupId), id: backupId, pitrBase: true });
  t.table.put({ ...t.pitr, bases: [...older, base!] });
  await t.disable();
  t.pass(3 * 24 * 3_600);
  const held = () => older.filter(({ backupId }) => t.table.get(backupKey.backup(t.tenant, backupId))!.pitrBase);
  const asked = () => t.table.find('', 'TASK#').filter((item) => JSON.stringify(item).includes('expire-captures')).length;
  for (const left of [111, 21, 0]) {
    const before = asked();
    await t.expire();
    assert.deepEqual([t.pitr.bases.length, held().length, asked() - before], left > 0 ? [left, left - 1, 1] : [0, 0, 0]);
  }
});

test('capture watchdog: restarts late cycles and enqueues expiry once a day, under one sender per tenant', async () => {
  const t = await captured();
  const sent: QueueMessage[] = [];
  const watch = () =>
    watchCaptures({
      clock: t.deps.clock,
      tenantOf: () => t.tenant,
      send: async (_queue, messages) => {
        sent.push(...messages);
        return new Set();
      },
    });
  assert.deepEqual(await watch(), { captured: 1, restarted: 0, audited: 1, expiring: 0 });
  t.pass(1_800 + 500);
  assert.deepEqual(await watch(), { captured: 1, restarted: 1, audited: 1, expiring: 0 });
  const { task } = JSON.parse(sent[1]!.body) as { task: object };
  assert.deepEqual(JSON.parse(sent[0]!.body).task, { kind: 'audit-captures', projectId: t.projectId });
  assert.deepEqual(task, { kind: 'capture', projectId: t.projectId, turn: t.pitr.turn });
  t.pass(24 * 3_600);
  assert.equal((await watch()).expiring, 1);
  assert.equal((await watch()).expiring, 0);
  assert.deepEqual(
    sent.map(({ sender }) => sender),
    sent.map(() => `ORG#${t.tenant.organizationId}`),
  );
});

test('capture purge: deletes every item, and the objects only if backup data is to be deleted', async () => {
  for (const deleteBackupData of [true, false]) {
    const t = await captured();
    const [batch] = t.batches;
    const deadline = { at: new Date(t.nowMs + 60_000), clock: t.deps.clock };
    const { openStore } = t.deps;
    assert.ok(await purgeCaptures(t.tenant, { deleteBackupData, isPatient: false, deadline, openStore }));
    assert.deepEqual(t.table.find('PITR#'), []);
    assert.deepEqual(t.table.find('DUE#CAPTURE'), []);
    assert.equal(t.folders.get(batch!.path)!.objects.size, deleteBackupData ? 0 : 1);
  }
});

test('capture expiry: a cycle that conflicts with it is retried soon', async () => {
  const t = await captured();
  t.nowMs = Date.parse(t.pitr.nextTurnAt!);
  const { turn: due } = t.pitr;
  await t.put({ 'users/ada': '2' });
  t.table.onWrite = (when) => {
    if (when === 'before') t.table.put({ ...t.pitr, keptFrom: t.pitr.bases[0]!.readTime });
    return undefined;
  };
  assert.deepEqual(await t.runNextCycle(), { turn: due, delaySeconds: 5 });
  t.table.onWrite = () => undefined;
  assert.equal((await t.runNextCycle())!.turn, due + 1);
  assert.equal(t.batches.length, 2);
});
