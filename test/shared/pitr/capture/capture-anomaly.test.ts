/** A mass deletion between two captures marks the base, and keeps the moments before it until a person acknowledges. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { captureAnomaly } from '../../../../shared/pitr/index.ts';
import { decideCaptureExpiry } from '../../../../shared/pitr/removal/expire-captures.ts';
import { commit, get, removeAll, StaleReadError } from '../../../../shared/platform/index.ts';
import { captureHistoryKey } from '../../../../shared/stored-backup/anomaly/judge-capture.ts';
import {
  acknowledgeAnomaly,
  type BackupAnomaly,
  type BackupRecord,
  backupKey,
  captureWrites,
  heldMoment,
} from '../../../../shared/stored-backup/index.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

const pathOf = (n: number): string => `users/u${String(n).padStart(3, '0')}`;
const orderOf = (n: number): string => `orders/o${String(n).padStart(3, '0')}`;
const by = { type: 'user', id: 'usr_1' };

const captureIn =
  (t: CaptureEnv) =>
  async (changes: Readonly<Record<string, string | null>>): Promise<void> => {
    t.pass(2);
    await t.put(changes);
    t.pass(58);
    await t.runNextCycle();
  };

const gone = (from: number, to: number, path = pathOf) =>
  Object.fromEntries(Array.from({ length: to - from }, (_, n) => [path(from + n), null]));

const found = (findings: unknown) =>
  (findings as BackupAnomaly['findings']).map(({ collection, kind, observed }) => [collection, kind, observed.documents]);

/** Two collections of 100 documents, and enough batches to judge the next ones. */
const createUsual = async () => {
  const documents = Array.from({ length: 100 }, (_, n) => [pathOf(n), orderOf(n)]).flat();
  const t = await createActiveCapture(Object.fromEntries(documents.map((path) => [path, '1'])));
  const capture = captureIn(t);
  for (let n = 0; n < 4; n++) await capture({ [pathOf(n)]: `at ${n}`, [orderOf(n)]: `at ${n}` });
  const key = backupKey.backup(t.tenant, t.pitr.bases.at(-1)!.backupId);
  const base = () => t.table.get<BackupRecord>(key)!;
  const states = () => {
    const runs = t.table.get<{ runs: string }>(captureHistoryKey(t.tenant, t.projectId))?.runs ?? '[]';
    return (JSON.parse(runs) as [string, number, string][]).map(([, , state]) => state).slice(4);
  };
  const acknowledge = async (backup: BackupRecord): Promise<void> => {
    const { change } = await acknowledgeAnomaly(t.tenant, { backup, acknowledgement: { by, note: undefined }, now: t.now });
    await commit(change.writes);
  };
  return { t, capture, base, states, acknowledge };
};

const isRefused = (error: unknown): boolean =>
  /read the backup again/.test(String(error)) &&
  !(error instanceof StaleReadError) &&
  Reflect.get(error as object, 'code') === 'CONFLICT';

test('capture: mass deletion is found in the batch, also if it takes several batches', async () => {
  const t = await createActiveCapture(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [pathOf(n), '1'])));
  const capture = captureIn(t);
  for (let n = 0; n < 4; n++) await capture({ [pathOf(n)]: `at ${n}`, [pathOf(90 + n)]: null });
  assert.deepEqual(t.events('backup.anomaly'), []);
  assert.equal(await heldMoment(t.tenant, t.pitr.projectId), Number.POSITIVE_INFINITY);
  const before = t.pitr.capturedTo;
  await capture(gone(10, 18));
  await capture(gone(18, 30));
  const [event, ...more] = t.events('backup.anomaly');
  assert.deepEqual(more, []);
  const { backup, findings } = event!.data as {
    backup: { id: string };
    findings: readonly { kind: string; collection: string }[];
  };
  assert.deepEqual(
    findings.map(({ kind, collection }) => [kind, collection]),
    [['deleted', 'users']],
  );
  const base = (await get(backupKey.backup(t.tenant, backup.id)))!;
  assert.deepEqual([base.anomalyState, base.anomaly?.source, base.id], ['open', 'capture', t.pitr.bases.at(-1)?.backupId]);
  assert.deepEqual(await captureAnomaly(t.tenant, t.pitr), base.anomaly);
  assert.equal(base.anomaly?.keptBackupId, base.id);
  const heldMs = await heldMoment(t.tenant, t.pitr.projectId);
  // The deletion began a batch before the one that revealed it.
  assert.ok(heldMs <= Date.parse(before!) && heldMs > Date.parse(before!) - 3_600_000);
  // In a year nothing has expired.
  const later = new Date(Date.parse(t.pitr.capturedTo!) + 365 * 24 * 3_600_000);
  const bases = [...t.pitr.bases, { ...t.pitr.bases[0]!, readTime: t.pitr.capturedTo!, since: t.pitr.capturedTo! }];
  assert.equal(decideCaptureExpiry({ ...t.pitr, bases }, { now: later, isGone: false, heldMs }), undefined);
  assert.equal(decideCaptureExpiry({ ...t.pitr, bases }, { now: later })?.keptFrom, t.pitr.capturedTo);
  // Also once the history of batches has forgotten the finding.
  const key = captureHistoryKey(t.tenant, t.pitr.projectId);
  const history = (await get(key))!;
  await removeAll([key]);
  assert.equal(await heldMoment(t.tenant, t.pitr.projectId), heldMs);
  await commit([{ put: history }]);

  const { change } = await acknowledgeAnomaly(t.tenant, {
    backup: base,
    acknowledgement: { by, note: undefined },
    now: new Date(),
  });
  await commit(change.writes);
  assert.equal(await captureAnomaly(t.tenant, t.pitr), null);
  assert.equal(await heldMoment(t.tenant, t.pitr.projectId), Number.POSITIVE_INFINITY);
  await capture(gone(40, 44));
  assert.equal(t.events('backup.anomaly').length, 1);
});

test('capture: a finding is added to a base that is marked for its own changes, and acknowledged only once it was seen', async () => {
  const { t, capture, base, states, acknowledge } = await createUsual();
  const expected = { min: 0, max: 0.12 };
  const observed = { documents: 90, total: 100, share: 0.9 };
  const own = { collection: 'users', kind: 'deleted', field: null, observed, expected, message: 'migrated' } as const;
  const anomaly: BackupAnomaly = {
    ...{ detectedAt: t.now.toISOString(), source: 'backup', findings: [own], comparedWith: null, keptBackupId: null },
    ...{ before: base().createdAt, acknowledgedAt: null, acknowledgedBy: null, note: null },
  };
  t.table.put({ ...base(), anomaly, anomalyState: 'open' });
  assert.equal(await captureAnomaly(t.tenant, t.pitr), null);
  const migrated = base();
  const before = t.pitr.capturedTo;
  await capture(gone(10, 40));
  const events = t.events('backup.anomaly');
  assert.deepEqual(
    events.map(({ data }) => found(Reflect.get(data as object, 'findings'))),
    [[['users', 'deleted', 30]]],
  );
  const marked = base();
  assert.deepEqual(found(marked.anomaly?.findings), [
    ['users', 'deleted', 30],
    ['users', 'deleted', 90],
  ]);
  assert.deepEqual([marked.anomaly?.source, marked.anomaly?.before], ['backup', anomaly.before]);
  assert.ok(marked.anomaly!.detectedAt > anomaly.detectedAt);
  const shown = await captureAnomaly(t.tenant, t.pitr);
  assert.deepEqual(found(shown?.findings), [['users', 'deleted', 30]]);
  assert.deepEqual([shown?.source, shown?.keptBackupId, shown?.before], ['capture', marked.id, before]);
  // The person has seen the migration only.
  await assert.rejects(acknowledge(migrated), isRefused);
  assert.deepEqual([base().anomalyState, states()], ['open', ['open']]);
  await acknowledge(base());
  assert.deepEqual([base().anomalyState, base().anomalyCaptured, states()], ['acknowledged', undefined, ['accepted']]);
  assert.equal(await captureAnomaly(t.tenant, t.pitr), null);
});

test('capture: later findings add to an open one, are reported if they are news, and are not acknowledged unseen', async () => {
  const { t, capture, base, states, acknowledge } = await createUsual();
  const reported = () => t.events('backup.anomaly').map(({ data }) => found(Reflect.get(data as object, 'findings')));
  await capture(gone(10, 50));
  const first = base();
  await capture(gone(50, 68));
  // Less than half as many again: the mark has it, but there is no second event.
  assert.deepEqual(found(base().anomaly?.findings), [['users', 'deleted', 58]]);
  assert.deepEqual([reported(), base().anomaly?.detectedAt], [[[['users', 'deleted', 40]]], first.anomaly?.detectedAt]);
  await assert.rejects(acknowledge(first), isRefused);
  const second = base();
  const turn = t.pitr.turn;
  await capture(gone(10, 90, orderOf));
  assert.deepEqual(reported().slice(1), [[['orders', 'deleted', 80]]]);
  assert.deepEqual(found(base().anomaly?.findings), [
    ['orders', 'deleted', 80],
    ['users', 'deleted', 58],
  ]);
  assert.equal(base().anomaly?.before, first.anomaly?.before);
  // The cycle is delivered again, and so is its judgement.
  await t.runCycle(turn);
  const { backupId: id } = t.table.get<{ backupId: string }>(captureHistoryKey(t.tenant, t.projectId))!;
  const batch = { id, at: t.nowMs, counts: new Map(), statistics: new Map() };
  const context = { tenant: t.tenant, project: t.project, organization: t.organization };
  const judged = { batch, from: t.pitr.capturedTo!, to: t.pitr.capturedTo!, baseId: base().id };
  assert.deepEqual(await captureWrites(context, judged, t.now), []);
  assert.equal(reported().length, 2);
  // A finding between the read and the commit of an acknowledgement.
  const { change } = await acknowledgeAnomaly(t.tenant, { backup: second, acknowledgement: { by, note: undefined }, now: t.now });
  await assert.rejects(commit(change.writes), isRefused);
  assert.deepEqual([base().anomalyState, states()], ['open', ['open', 'open', 'open']]);
  const third = base();
  const prepared = await acknowledgeAnomaly(t.tenant, { backup: third, acknowledgement: { by, note: undefined }, now: t.now });
  await capture(gone(68, 95));
  assert.deepEqual(reported().slice(2), [[['users', 'deleted', 85]]]);
  await assert.rejects(commit(prepared.change.writes), isRefused);
  assert.equal(await heldMoment(t.tenant, t.projectId), Date.parse(first.anomaly!.before!) - 3_600_000);
  await acknowledge(base());
  assert.deepEqual([base().anomalyState, states()], ['acknowledged', ['accepted', 'accepted', 'accepted', 'accepted']]);
});
