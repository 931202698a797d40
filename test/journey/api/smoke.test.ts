/** `npm run smoke` against the running stage: it succeeds or reports one clear line, and leaves nothing behind. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, test } from 'vitest';
import { readOptions } from '../../../infra/smoke/options.ts';
import { runSmokeTest } from '../../../infra/smoke/run-smoke-test.ts';
import { signIn as enter } from '../../../infra/smoke/sign-in.ts';
import { runSteps } from '../../../infra/smoke/step-runner.ts';
import { scopes } from '../../../shared/contract/access.ts';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { newBucket, newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { objectsIn } from '../../harness/stage/bucket.ts';
import { call, stageUrl, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization, newServiceAccountKey } from '../../harness/stage/organization.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';
import { startReceiver } from '../../harness/stage/receiver.ts';
import { lookUntil } from '../../harness/time/look-until.ts';

const receiver = await startReceiver();
afterAll(() => receiver.stop());

const secret = 'not-to-be-printed-1';
const destinationJson = (bucket: string, accessKeyId = 'AKIATEST') =>
  JSON.stringify({ type: 's3', bucket, credentials: { accessKeyId, secretAccessKey: secret } });

interface Walked {
  readonly code: number;
  readonly lines: readonly string[];
  readonly text: string;
}

const walk = async (
  env: Record<string, string>,
  onLine: (line: string, stop: () => void) => void = () => {},
): Promise<Walked> => {
  const lines: string[] = [];
  const stopping = new AbortController();
  const say = (line: string): void => {
    lines.push(line);
    onLine(line, () => stopping.abort());
  };
  const code = await runSmokeTest({ words: [stageUrl()], env, say, isInteractive: false, signal: stopping.signal });
  return { code, lines, text: lines.join('\n') };
};

/** The first words of the lines, without progress messages. */
const outline = ({ lines }: Walked) =>
  lines.filter((line) => !line.startsWith(' ')).map((line) => line.replace(/:.*| [a-z]{3}_.*/, '').replace(/ +/, ' '));
const doors = ['ok health', 'ok description', 'ok signing keys', 'ok identity provider'];
const toBackup = ['ok sign in', 'ok organization', 'ok destination', 'ok project', 'ok estimate', 'ok backup'];
const read = ['ok verify', 'ok browse', 'ok restore, dry run'];

test('smoke test: a user runs the whole journey, and no object, organization or session is left', async () => {
  const [bucket, person] = [await newBucket(), await signIn()];
  const source = `source-${bucket}`;
  await seed(source, { 'users/ada': { name: { stringValue: 'canary' } }, 'ghost/none/deep/leaf': {} });
  const walked = await walk({
    SMOKE_REFRESH_TOKEN: person.refreshToken,
    SMOKE_PROJECT: source,
    SMOKE_DESTINATION: destinationJson(bucket),
    SMOKE_WEBHOOK_URL: receiver.url('/well'),
  });
  const gone = ['gone webhook', 'gone backup', 'gone project', 'gone destination', 'gone organization', 'gone session'];
  deepEqual(outline(walked), [...doors, ...toBackup, ...read, 'ok webhook', 'ok audit log', ...gone, 'smoke test passed']);
  equal(walked.code, 0);
  match(walked.text, /^ok {4}backup: bkp_\w+, 2 documents/m);
  match(walked.text, /would create 0 and overwrite 0 documents, 2 are unchanged/);
  equal(receiver.requests.filter(({ path }) => path === '/well').length, 1);
  // A task removes the objects of a deleted backup asynchronously.
  await lookUntil(
    () => objectsIn(bucket),
    (objects) => Object.keys(objects).length === 0,
  );
  for (const word of [secret, 'canary', 'users/ada', person.refreshToken, person.accessToken]) ok(!walked.text.includes(word));
  equal((await call(auth.me, { token: person.accessToken })).status, 401);
  const again = await signIn(person.email);
  deepEqual((await call(auth.me, { token: again.accessToken })).body.data.organizations, []);
});

test('smoke test: a service account uses existing resources, which stay; a failing webhook is reported', async () => {
  const organization = await newOrganization();
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  await seed(project.sourceProjectId, { 'users/ada': {}, 'posts/first': {} });
  const apiKey = await newServiceAccountKey(organization, scopes);
  receiver.answer('/ill', { status: 500 });
  const walked = await walk({
    SMOKE_TOKEN: apiKey,
    SMOKE_ORGANIZATION_ID: organization.id,
    SMOKE_PROJECT: project.id,
    SMOKE_DESTINATION: destination.id,
    SMOKE_COLLECTIONS: 'users, posts',
    SMOKE_WEBHOOK_URL: receiver.url('/ill'),
  });
  const end = ['FAIL webhook', 'gone webhook', 'gone backup', 'smoke test failed'];
  deepEqual(outline(walked), [...doors, ...toBackup, ...read, ...end]);
  equal(walked.code, 1);
  match(walked.text, /^FAIL {2}webhook: localhost:\d+ answered 500: /m);
  ok(!walked.text.includes(apiKey.slice(-20)));
  const by = { token: organization.owner.accessToken, org: organization.id };
  equal((await call(organizations.current, by)).status, 200);
  equal((await call(projects.get, { ...by, params: { projectId: project.id } })).status, 200);
  equal((await call(storageDestinations.get, { ...by, params: { storageId: destination.id } })).status, 200);
  deepEqual([(await call(backups.list, by)).body.data, (await call(webhooks.list, by)).body.data], [[], []]);
});

test('smoke test: interrupted during a backup, it deletes what it created', async () => {
  const bucket = await newBucket();
  const wish = { SMOKE_PROJECT: `source-${bucket}`, SMOKE_DESTINATION: destinationJson(bucket) };
  const walked = await walk(wish, (line, stop) => line.startsWith('      ') && stop());
  const made = ['gone backup', 'gone project', 'gone destination', 'gone organization', 'gone session'];
  deepEqual(outline(walked), [...doors, ...toBackup.slice(0, -1), 'FAIL backup', ...made, 'smoke test failed']);
  match(walked.text, /^FAIL {2}backup: interrupted$/m);
  equal(walked.code, 1);
});

test('smoke test: a bucket that denies access is one line with the call, response and request id, without the key', async () => {
  const walked = await walk({ SMOKE_DESTINATION: destinationJson(await newBucket(), 'denied-key-id') });
  equal(walked.code, 1);
  match(
    walked.text,
    /^FAIL {2}destination: POST \/api\/v1\/storage-destinations answered 422 STORAGE_ERROR: .+ \(request [\w-]+\)$/m,
  );
  deepEqual(outline(walked).slice(-3), ['gone organization', 'gone session', 'smoke test failed']);
  ok(!walked.text.includes(secret) && !walked.text.includes('denied-key-id'));
});

test('smoke test: an expired token is reported', async () => {
  const { accessToken } = await signIn();
  await call(auth.logout, { token: accessToken });
  const walked = await walk({ SMOKE_TOKEN: accessToken });
  equal(walked.code, 1);
  match(walked.text, /^FAIL {2}sign in: GET \/api\/v1\/auth\/me answered 401 UNAUTHORIZED: /m);
});

test('smoke test: a user signs in with the browser', async () => {
  const wish = { ...readOptions([stageUrl()], {}), isLocal: false };
  const email = newEmail();
  const lines: string[] = [];
  const browse = async (link: string): Promise<void> => {
    const begun = await fetch(`${link}&login_hint=${email}`, { redirect: 'manual' });
    const cookie = begun.headers.getSetCookie().map((set) => set.split(';')[0]);
    const back = await fetch(begun.headers.get('location')!, { redirect: 'manual' });
    const done = await fetch(back.headers.get('location')!, { redirect: 'manual', headers: { cookie: cookie.join('; ') } });
    await fetch(new URL('/favicon.ico', done.headers.get('location')!));
    equal((await fetch(done.headers.get('location')!)).status, 200);
  };
  let browsing: Promise<void> | undefined;
  const say = (line: string): void => {
    lines.push(line);
    const link = /open this URL in a browser: (\S+)/.exec(line)?.[1];
    if (link) browsing = browse(link);
  };
  const hidden: string[] = [];
  const theirs = { isInteractive: true, hide: (text: string) => void hidden.push(text) };
  const isWell = await runSteps(say, new AbortController().signal, async (steps) => void (await enter(steps, wish, theirs)));
  await browsing;
  ok(isWell);
  deepEqual(lines.slice(1), [`ok    sign in: as ${email}`, 'gone  session']);
  equal(hidden.length, 2);
  const alone = await runSteps(say, new AbortController().signal, async (steps) => {
    await enter(steps, wish, { ...theirs, isInteractive: false });
  });
  ok(!alone);
  match(lines.at(-1)!, /^FAIL {2}sign in: set SMOKE_TOKEN or SMOKE_REFRESH_TOKEN/);
});

const command = (...words: string[]): Promise<{ code: number; text: string }> =>
  new Promise((done) => {
    const main = fileURLToPath(new URL('../../../infra/smoke/main.ts', import.meta.url));
    execFile(process.execPath, [main, ...words], (error, stdout) =>
      done({ code: Number(error?.code ?? 0), text: stdout.trim() }),
    );
  });

test('smoke test: exits with 1 if the service does not answer, with 2 on wrong usage', async () => {
  const gone = await startReceiver();
  await gone.stop();
  const [unreachable, bucket, wrong] = await Promise.all([
    command(`http://localhost:${gone.port}`),
    command(stageVariable('STAGE_S3_URL')),
    command('https://api.example.com/docs'),
  ]);
  deepEqual(unreachable, { code: 1, text: `FAIL  health: GET http://localhost:${gone.port}/health?checks=true: ECONNREFUSED` });
  equal(bucket.code, 1);
  match(
    bucket.text,
    /^FAIL {2}health: GET \/health\?checks=true answered \d+ with an unexpected body: is this the address of the API\?$/,
  );
  equal(wrong.code, 2);
  match(wrong.text, /^<url>: must be one URL without a path/);
});
