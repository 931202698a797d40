/** Tests without a target: what a run says if the source cannot be compared, or the backup is empty. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { decodeEvidence } from '../../../../shared/archive/index.ts';
import { runData } from '../../../../shared/restore-test/index.ts';
import type { RunRecord } from '../../../../shared/restore-test/model/record.ts';
import { createRestoreTestEnv } from '../../../harness/env/restore/restore-test-env.ts';

const t = await createRestoreTestEnv();
beforeEach(() => t.reset());

const dayMs = 24 * 3_600_000;
const text = (stringValue: string) => ({ text: { stringValue } });
const denied = { status: 'PERMISSION_DENIED', times: 100 } as const;
const refuseReads = (): void => {
  for (const method of ['RunQuery', 'BatchGetDocuments', 'ListDocuments'] as const) t.server.faults.add({ method, ...denied });
};

const warningsOf = (run: RunRecord) => runData(run).warnings.map(({ code }) => code);
/** The signed document as it is stored. */
const evidenceOf = ({ evidence }: RunRecord) => {
  const object = evidence?.object ?? '';
  const cut = object.lastIndexOf('/');
  return decodeEvidence(t.stores.get(object.slice(0, cut))!.objects.get(object.slice(cut + 1))!);
};

test('source comparison: a source that can be read leaves no warning', async () => {
  await t.put({ 'a/1': text('one'), 'a/2': text('two') });
  await t.takeBackup();
  const run = await t.finish(await t.begin());
  deepEqual([run.status, run.comparisons?.source.documents, warningsOf(run)], ['passed', 2, []]);
  deepEqual(evidenceOf(run).warnings, []);
});

test('source comparison: history that is over is no failure, and run, evidence and event say that it was not compared', async () => {
  await t.put({ 'a/1': text('one') });
  await t.takeBackup();
  const later = Date.now() + 8 * dayMs;
  t.nowMs = () => later;
  t.sourceNowMs = () => later;
  const run = await t.finish(await t.begin());
  deepEqual([run.status, run.error, warningsOf(run)], ['passed', null, ['SOURCE_NOT_COMPARED']]);
  deepEqual(evidenceOf(run).warnings, runData(run).warnings);
  match(runData(run).warnings[0]!.message, /not compared with the source: The source no longer keeps its state of/);
  const [event] = t.events('restore_test.completed') as unknown as [{ data: { restoreTest: { warnings: unknown } } }];
  deepEqual(event.data.restoreTest.warnings, runData(run).warnings);
});

test('source comparison: a source that denies access within its history fails the test; the archive was still read completely', async () => {
  await t.put({ 'a/1': text('one'), 'a/2': text('two') });
  await t.takeBackup();
  refuseReads();
  const run = await t.finish(await t.begin());
  deepEqual([run.status, run.error?.code, warningsOf(run)], ['failed', 'SOURCE_AUTH_ERROR', ['SOURCE_NOT_COMPARED']]);
  match(
    run.error?.message ?? '',
    /^The archive is intact, but it was not compared with the source\. The source could not be read/,
  );
  deepEqual([run.counts?.decoded, run.comparisons?.index.differences, run.differenceTotal], [2, 0, 0]);
  const { result, error } = evidenceOf(run);
  deepEqual([result, error?.code], ['failed', 'SOURCE_AUTH_ERROR']);
  equal(t.events('restore_test.failed').length, 1);
});

test('source comparison: after seven days no history reaches, so a source that denies access is a warning', async () => {
  await t.put({ 'a/1': text('one') });
  await t.takeBackup();
  const later = Date.now() + 8 * dayMs;
  t.nowMs = () => later;
  refuseReads();
  const run = await t.finish(await t.begin());
  deepEqual([run.status, warningsOf(run)], ['passed', ['SOURCE_NOT_COMPARED']]);
  match(runData(run).warnings[0]!.message, /could not be read \(SOURCE_AUTH_ERROR\)/);
});

test('source comparison: an empty backup passes, and run and evidence say that it holds nothing', async () => {
  await t.takeBackup();
  const run = await t.finish(await t.begin());
  deepEqual([run.status, run.counts?.documents, warningsOf(run)], ['passed', 0, ['NO_DOCUMENTS']]);
  match(evidenceOf(run).warnings?.[0]?.message ?? '', /holds no documents, as its index says/);
});
