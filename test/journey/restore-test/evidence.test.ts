/** Evidence of restore tests over the stage: by the command line, the API, the archive reader and the report. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, test } from 'vitest';
import { evidence } from '../../../shared/contract/endpoints/protection/evidence.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import type { RestoreTestReport } from '../../../shared/contract/models/restore-test-evidence.ts';
import { runArchive } from '../../harness/env/run-archive-command.ts';
import { type Bms, openBms } from '../../harness/env/run-bms.ts';
import { newProject, takeBackup } from '../../harness/stage/backup.ts';
import { bucketClient, objectAt } from '../../harness/stage/bucket.ts';
import { api, call, stageUrl, stageVariable } from '../../harness/stage/client.ts';
import { addMember, newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

let organization: TestOrganization;
let backup: Awaited<ReturnType<typeof takeBackup>>;
let bms: Bms;
let runId: string;
let object: string;
const folder = mkdtempSync(join(tmpdir(), 'evidence-'));
const file = join(folder, 'evidence.json');
const by = () => ({ token: organization.owner.accessToken, org: organization.id });
afterAll(() => rmSync(folder, { recursive: true }));

const bucketOf = async (): Promise<string> =>
  (await call(storageDestinations.get, { ...by(), params: { storageId: backup.storageDestination.id } })).body.data.bucket;

const succeeds = async (...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await bms.run(args);
  equal(code, 0, `${args.join(' ')}: ${err}`);
  return out;
};

beforeAll(async () => {
  organization = await newOrganization();
  backup = await takeBackup(organization);
  await newProject(organization, { name: 'Untested' });
  const { accessToken } = organization.owner;
  bms = openBms({ BMS_URL: stageUrl(), BMS_TOKEN: accessToken, BMS_ORGANIZATION: organization.id });
});

test('evidence: the command line creates a plan, runs it and shows how it ended', async () => {
  const plan = JSON.parse(
    await succeeds('restore-test', 'create', 'Proof', '--project', backup.projectId, '--cron', '@weekly', '--json'),
  ) as { id: string; backup: object; target: null };
  deepEqual([plan.backup, plan.target], [{ pick: 'latest' }, null]);
  const [run] = JSON.parse(await succeeds('restore-test', 'run', 'Proof', '--wait', '--json')) as [
    { id: string; status: string; evidence: { object: string } },
  ];
  equal(run.status, 'passed');
  runId = run.id;
  object = run.evidence.object;
  equal(object.endsWith(`${backup.projectId}/restore-tests/${runId}.json`), true);
  match(await succeeds('restore-test', 'ls'), /Proof .*passed/);
  match(await succeeds('restore-test', 'runs', 'Proof'), new RegExp(`${runId} .*passed`));
  match(await succeeds('restore-test', 'show', runId), /Source +3 documents compared, 0 differ/);
  match(await succeeds('restore-test', 'show', 'Proof'), /Target +none/);
  const changed = JSON.parse(await succeeds('restore-test', 'update', 'Proof', '--sample', '7', '--no-target', '--json'));
  deepEqual([changed.scope, changed.backup], [{ type: 'sample', documentsPerCollection: 7 }, { pick: 'latest' }]);
});

test('evidence: what the service serves is verified offline with the published key and the backup of the bucket', async () => {
  await succeeds('restore-test', 'evidence', runId, '--out', file);
  const published = await call(evidence.keys);
  equal(published.status, 200);
  const keys = join(folder, 'keys.json');
  writeFileSync(keys, published.text);
  const { code, out, err } = await runArchive(['verify-evidence', file, '--key', keys], {});
  equal(code, 0, err);
  match(out, /Result +passed/);
  match(out, /as given with --key/);
  // The object in the bucket is beside the folder of the backup, whose manifest is compared.
  const bucket = await bucketOf();
  const location = `s3://${bucket}/${object}`;
  const store = ['--endpoint', stageVariable('STAGE_S3_URL'), '--json'];
  const credentials = { AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'not-so-secret' };
  const stored = await runArchive(['verify-evidence', location, '--key', keys, ...store], credentials);
  equal(stored.code, 0, stored.err);
  const { status, manifest, keyTrusted } = JSON.parse(stored.out) as Record<string, unknown>;
  deepEqual({ status, manifest, keyTrusted }, { status: 'valid', manifest: 'matches', keyTrusted: true });
  const text = readFileSync(file, 'utf8').replace('"documents": 3', '"documents": 4');
  writeFileSync(file, text);
  equal((await runArchive(['verify-evidence', file], {})).code, 1);
});

test('evidence: the report names what passed and what was not tested, for a viewer, as JSON and as a page', async () => {
  const viewer = await addMember(organization, 'viewer');
  const as = { token: viewer.accessToken, org: organization.id };
  const { status, body } = await call(evidence.report, as);
  equal(status, 200);
  const { data } = body as unknown as { data: RestoreTestReport };
  const { projects, tested, notTested, passed, backupsProven } = data.summary;
  deepEqual(
    { projects, tested, notTested, passed, backupsProven },
    { projects: 2, tested: 1, notTested: 1, passed: 1, backupsProven: 1 },
  );
  const proven = data.projects.find(({ projectId }) => projectId === backup.projectId);
  deepEqual([proven?.result, proven?.tests[0]?.runId, proven?.tests[0]?.evidence?.object], ['passed', runId, object]);
  equal(data.projects.find(({ projectName }) => projectName === 'Untested')?.result, 'not_tested');
  const page = await call(evidence.report, { ...as, query: { format: 'html', projectId: backup.projectId } });
  match(page.headers.get('content-type') ?? '', /^text\/html/);
  match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  ok(page.text.includes(runId) && !page.text.includes('Untested'));
  match(await succeeds('restore-test', 'report', '--from', '7d'), /Untested +not tested/);
  equal((await call(evidence.get, { ...as, params: { runId } })).status, 200);
  for (const query of ['from=2026-02-30', 'from=2099-01-01', 'from=2000-01-01', 'format=pdf', 'projectId=x', 'other=1'])
    equal((await api('GET', `${evidence.report.path}?${query}`, by())).status, 400, query);
  const stranger = await newOrganization();
  const theirs = { token: stranger.owner.accessToken, org: stranger.id };
  equal((await call(evidence.get, { ...theirs, params: { runId } })).status, 404);
  equal((await call(evidence.report, { ...theirs, query: { projectId: backup.projectId } })).status, 404);
});

test('evidence: what was altered in the bucket is refused with EVIDENCE_ALTERED, what was deleted with NOT_FOUND', async () => {
  const bucket = await bucketOf();
  const genuine = await objectAt(bucket, object);
  const put = (Body: Buffer) => bucketClient().send(new PutObjectCommand({ Bucket: bucket, Key: object, Body }));
  const get = async () => {
    const { status, body } = await call(evidence.get, { ...by(), params: { runId } });
    return [status, (body as { error?: { code: string } }).error?.code];
  };
  await put(Buffer.from(genuine.toString().replace('"result":"passed"', '"result":"failed"')));
  deepEqual(await get(), [409, 'EVIDENCE_ALTERED']);
  const { code, err } = await bms.run(['restore-test', 'evidence', runId]);
  equal(code, 1);
  match(err, /altered after it was signed/);
  await bucketClient().send(new DeleteObjectCommand({ Bucket: bucket, Key: object }));
  deepEqual(await get(), [404, 'NOT_FOUND']);
  await put(genuine);
  deepEqual(await get(), [200, undefined]);
});
