/** Tests into a target: everything in scope is written there, whatever the target had, and a damage has the verdict of a verification. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { beforeEach, test, vi } from 'vitest';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { decodeEvidence } from '../../../../shared/archive/index.ts';
import { FirestoreDatabase } from '../../../../shared/firestore/index.ts';
import { runData } from '../../../../shared/restore-test/index.ts';
import type { RestoreTestRecord, RunRecord } from '../../../../shared/restore-test/model/record.ts';
import { takeLink } from '../../../harness/env/chain-env.ts';
import { eraseDocuments, serveLedgerKey } from '../../../harness/env/erasure-env.ts';
import { createRestoreTestEnv } from '../../../harness/env/restore/restore-test-env.ts';
import { firstRestoreStep } from '../../../harness/env/restore-env.ts';
import { crashPoints } from '../../../harness/faults/crash-injector.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

const t = await createRestoreTestEnv();

/** Names of the documents that the databases were told to write. An equal write leaves no trace in a document, not even a new time. */
let sent: string[] = [];
const { callOnce } = FirestoreDatabase.prototype;
vi.spyOn(FirestoreDatabase.prototype, 'callOnce').mockImplementation(async function (this: FirestoreDatabase, ...call) {
  const [method, request] = call;
  const answer = await callOnce.apply(this, call);
  if (method === 'BatchWrite') {
    const { writes } = proto.BatchWriteRequest.decode(Buffer.concat([request].flat()));
    sent.push(...writes.map((write) => /\/documents\/([\w/]+)/.exec(Buffer.from(write).toString('latin1'))?.[1] ?? ''));
  }
  return answer;
});

beforeEach(() => {
  t.reset();
  sent = [];
});

const text = (stringValue: string) => ({ text: { stringValue } });
const equalDocuments = { 'a/1': text('one'), 'a/2': text('two'), 'a/2/sub/3': text('three'), 'b/1': text('four') };
const intoTarget = (): Partial<RestoreTestRecord> => ({ target: { projectId: t.targetId } });

const evidenceOf = ({ evidence }: RunRecord) => {
  const object = evidence?.object ?? '';
  const cut = object.lastIndexOf('/');
  return decodeEvidence(t.stores.get(object.slice(0, cut))!.objects.get(object.slice(cut + 1))!);
};

test('restore test: a target that has equal documents already is written completely, and is as before afterwards', async () => {
  await t.put(equalDocuments);
  await t.putTarget({ ...equalDocuments, 'own/1': text('kept') });
  await t.takeBackup();
  const fields = t.fieldsOf();
  const run = await t.finish(await t.begin(intoTarget()));
  deepEqual([run.status, run.error, runData(run).warnings], ['passed', null, []]);
  const { written, plan, safetyBackupId } = t.restoreOf(run.restoreJobId!);
  deepEqual([written, plan?.overwrite, plan?.unchanged], [4, 4, 0]);
  equal(t.backupOf(safetyBackupId!).documentCount, 4);
  const { result, documentsWritten, counts, removal } = evidenceOf(run);
  deepEqual([result, documentsWritten, counts?.documents, removal?.documents], ['passed', 4, 4, 4]);
  const [event] = t.events('restore_test.completed') as unknown as [{ data: { restoreTest: { documentsWritten: number } } }];
  deepEqual([runData(run).documentsWritten, event.data.restoreTest.documentsWritten], [4, 4]);
  // The undo finds all documents as they were.
  deepEqual([t.fieldsOf(), sent.sort()], [fields, Object.keys(equalDocuments)]);
});

test('restore test: a sample writes what it drew, and a test without a target writes nothing', async () => {
  await t.put(equalDocuments);
  await t.putTarget(equalDocuments);
  await t.takeBackup();
  const sample = await t.finish(await t.begin({ ...intoTarget(), scope: { type: 'sample', documentsPerCollection: 1 } }));
  deepEqual([sample.status, sample.counts?.documents, runData(sample).documentsWritten], ['passed', 3, 3]);
  sent = [];
  const none = await t.finish(await t.begin());
  deepEqual([none.status, runData(none).documentsWritten, evidenceOf(none).documentsWritten], ['passed', null, null]);
  deepEqual(sent, []);
});

test('restore test: documents that an erasure hides are not in its scope', async () => {
  await serveLedgerKey();
  await t.put(equalDocuments);
  await t.putTarget(equalDocuments);
  await t.takeBackup();
  await eraseDocuments(t, { paths: ['a/1'] });
  const run = await t.finish(await t.begin(intoTarget()));
  deepEqual([run.status, run.counts?.documents, runData(run).documentsWritten], ['passed', 3, 3]);
  match(run.comparisons?.target.reason ?? '', /1 of 4 documents are erased/);
});

test('restore test: a test that wrote less than its scope fails, even if all documents are equal', async () => {
  await t.put(equalDocuments);
  await t.putTarget(equalDocuments);
  await t.takeBackup();
  const fields = t.fieldsOf();
  const runId = await t.begin(intoTarget());
  while (t.runOf(runId).restoreJobId === null) {
    await t.runJobs(runId);
    await t.advance(runId);
  }
  t.table.put({ ...t.restoreOf(t.runOf(runId).restoreJobId!), writesEqual: false });
  const run = await t.finish(runId);
  deepEqual([run.status, run.error?.code], ['failed', 'COUNT_MISMATCH']);
  match(run.error?.message ?? '', /wrote 0 documents to the target, although 4 are in its scope/);
  deepEqual([evidenceOf(run).result, evidenceOf(run).documentsWritten], ['failed', 0]);
  deepEqual(t.fieldsOf(), fields);
});

test('restore test: a writer that dies at any effect leaves no equal document unwritten, and none counted twice', async () => {
  await t.put(equalDocuments);
  await t.putTarget(equalDocuments);
  const backup = await t.takeBackup();
  const begin = async () => {
    const id = await t.startRestore(backup, { writesEqual: true });
    const position = firstRestoreStep();
    await t.resumeRestore(id, position, { upTo: 'seal' });
    sent = [];
    return { id, position };
  };
  const detach = () => {
    t.machine = undefined;
    t.table.onWrite = () => undefined;
    t.table.onRead = () => undefined;
  };
  const undisturbed = new CrashingMachine();
  const first = await begin();
  undisturbed.attach(t);
  await t.resumeRestore(first.id, first.position);
  detach();
  ok(undisturbed.effects >= 4, `${undisturbed.effects} effects`);
  for (const { at, when } of crashPoints(undisturbed.effects)) {
    const { id, position } = await begin();
    const machine = new CrashingMachine(at, when).attach(t);
    await t.resumeRestore(id, position).catch(() => undefined);
    ok(machine.isDead, `${when} effect ${at} was not reached`);
    detach();
    await t.resumeRestore(id, position);
    const { status, written, failed, raced } = t.restoreOf(id);
    deepEqual([status, written, failed, raced], ['completed', 4, 0, 0], `${when} effect ${at}`);
    deepEqual([...new Set(sent)].sort(), Object.keys(equalDocuments), `${when} effect ${at}`);
  }
});

test('restore test: one damage, one verdict, also if it is the key of a backup that the tested one depends on', async () => {
  t.reset();
  await t.put(equalDocuments);
  const base = await takeLink(t);
  await t.put({ 'a/1': text('changed') });
  const link = await takeLink(t);
  deepEqual(link.needs, [base.archive.backup]);
  t.storeOf(base).objects.set('key', t.storeOf(link).objects.get('key')!);
  for (const plan of [{}, { scope: { type: 'sample', documentsPerCollection: 1 } } as const, intoTarget()]) {
    const run = await t.finish(await t.begin(plan));
    deepEqual(
      [run.status, run.error?.code, run.differenceItems[0]?.path],
      ['failed', 'CHUNK_CORRUPT', `${base.archive.backup}/key`],
    );
  }
});

test('restore test: one damage, one verdict; and a damaged backup is not called empty', async () => {
  for (const object of ['key', 'chunk'] as const) {
    t.reset();
    await t.put(equalDocuments);
    const other = await t.takeBackup();
    const backup = await t.takeBackup();
    const { objects } = t.storeOf(backup);
    const name = [...objects.keys()].find((key) => key.startsWith(object)) ?? '';
    if (object === 'key') objects.set(name, t.storeOf(other).objects.get('key')!);
    else objects.delete(name);
    const plans = [{}, { scope: { type: 'sample', documentsPerCollection: 1 } } as const, intoTarget()];
    for (const plan of plans) {
      const run = await t.finish(await t.begin(plan));
      deepEqual([run.status, run.error?.code, run.differenceItems[0]?.path], ['failed', 'CHUNK_CORRUPT', name]);
      ok(!runData(run).warnings.some(({ code }) => code === 'NO_DOCUMENTS'));
      ok(!evidenceOf(run).warnings?.some(({ code }) => code === 'NO_DOCUMENTS'));
      deepEqual([run.restoreJobId, t.fieldsOf().size], [null, 0]);
    }
  }
});

test('restore test: a backup without documents says nothing about the time to recovery', async () => {
  t.reset();
  await t.takeBackup();
  const run = await t.finish(await t.begin(intoTarget()));
  deepEqual([run.status, run.documentsWritten, run.rtoSeconds], ['passed', 0, null]);
});

test('restore test: damage that only reading finds marks the backup, with and without a target', async () => {
  for (const plan of [{ scope: { type: 'sample', documentsPerCollection: 1 } } as const, intoTarget()]) {
    t.reset();
    await t.put(equalDocuments);
    const backup = await t.takeBackup();
    const { objects } = t.storeOf(backup);
    for (const [name, bytes] of objects) {
      if (!name.startsWith('chunk')) continue;
      const flipped = Buffer.from(bytes);
      // Beyond the header, so that every document is affected, whichever are drawn.
      for (let at = 100; at < flipped.length; at += 8) flipped[at]! ^= 1;
      objects.set(name, flipped);
    }
    const run = await t.finish(await t.begin(plan));
    deepEqual([run.status, run.error?.code], ['failed', 'CHUNK_CORRUPT']);
    deepEqual([t.backupOf(backup.id).damagedDepth, t.backupOf(backup.id).verifiedAt], ['full', null]);
  }
});
