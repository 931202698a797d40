/** Watching a job: a lost connection, an interruption, a pipe and a terminal. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, test } from 'vitest';
import { type Bms, bmsMain, openBms } from '../../harness/env/run-bms.ts';
import { openFaultProxy } from '../../harness/faults/fault-proxy.ts';
import { endOf, newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { stageUrl } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { type Stops, stopAll } from '../../harness/store/store-stands.ts';

const stops: Stops = [];
let organization: TestOrganization;
let bms: Bms;
let projectId: string;

beforeAll(async () => {
  organization = await newOrganization();
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  projectId = project.id;
  await seed(project.sourceProjectId, Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`users/${n}`, {}])));
  bms = openBms({ BMS_URL: stageUrl(), BMS_TOKEN: organization.owner.accessToken, BMS_ORGANIZATION: organization.id });
  const body = JSON.stringify({ settings: { defaultStorageId: destination.id } });
  equal((await bms.run(['api', 'PATCH', `/projects/${project.id}`, '--data', body])).code, 0);
});
afterAll(() => stopAll(stops));

test('backup create --watch: lost connections and outages are retried and never reported as a failed backup', async () => {
  const proxy = await openFaultProxy(stops, stageUrl());
  let reads = 0;
  proxy.script(({ method, path }) => {
    if (method !== 'GET' || !/\/backups\/bkp_/.test(path)) return undefined;
    reads += 1;
    // More in a row than one call is repeated.
    if (reads <= 7) return reads % 2 === 0 ? 'lost' : { answer: { status: 503, body: '{}' } };
    return undefined;
  });
  const { code, out, err } = await bms.run(['backup', 'create', '--watch', '--json'], { env: { BMS_URL: proxy.url } });
  equal(code, 0, err);
  equal((JSON.parse(out) as { status: string }).status, 'completed');
  ok(reads > 7);
  equal(proxy.seen.filter(({ method, path }) => method === 'POST' && path === '/api/v1/backups').length, 1);
});

test('backup create --watch: Ctrl-C leaves the backup running and says how to continue', async () => {
  const proxy = await openFaultProxy(stops, stageUrl());
  let interrupt = (): void => {};
  // The job is watched by now.
  proxy.script(({ method, path }) => {
    if (method === 'GET' && /\/backups\/bkp_/.test(path)) interrupt();
    return undefined;
  });
  const { code, err } = await bms.run(['backup', 'create', '--watch'], {
    env: { BMS_URL: proxy.url },
    onStart: (child) => {
      interrupt = () => child.kill('SIGINT');
    },
  });
  equal(code, 130);
  const [, id = ''] = /The backup continues without this command\. Watch it again: bms backup watch (bkp_\w+)\n/.exec(err) ?? [];
  equal((await endOf(organization, id)).status, 'completed', err);
  match((await bms.run(['backup', 'watch', id])).out, new RegExp(`^Backup ${id} completed: 50 documents`));
});

test('a failed job has exit code 1 and its reason in one line; --json prints the job', async () => {
  const { code, out, err } = await bms.run(['backup', 'create', '--collections', 'nothing', '--wait', '--json']);
  equal(code, 1, err);
  match(err, /^bms: backup bkp_\w+ failed: .*\(COLLECTION_NOT_FOUND\)\n$/);
  equal((JSON.parse(out) as { status: string }).status, 'failed');
});

test('piped output has no colours and no progress, unless FORCE_COLOR asks for colours', async () => {
  const piped = await bms.run(['backup', 'create', '--watch', '--project', projectId]);
  equal(piped.err, '');
  match(piped.out, /^Backup bkp_\w+ completed: 50 documents, [\d.]+ KB, .*\n$/);
  ok(!(await bms.run(['backup', 'ls'])).out.includes('\u001b'));
  ok((await bms.run(['backup', 'ls'], { env: { FORCE_COLOR: '1' } })).out.includes('\u001b[32mcompleted'));
});

test('a reader that closes the pipe ends the command silently', async () => {
  const child = spawn(
    'bash',
    ['-c', `"${process.execPath}" "${bmsMain}" webhook events --json 2>err | head -c 10; echo " \${PIPESTATUS[0]}"; cat err >&2`],
    {
      env: bms.env,
      cwd: bms.env.XDG_CONFIG_HOME,
      // Bash reads its start files if its input is a socket.
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let [out, err] = ['', ''];
  child.stdout.on('data', (part) => (out += part));
  child.stderr.on('data', (part) => (err += part));
  await new Promise((done) => child.once('close', done));
  match(out, / 0\n$/);
  equal(err, '');
});

/** util-linux gives the command a terminal; other systems have another one of the same name. */
const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');
if (!hasScript) console.log('terminal: skipped, because there is no script(1) of util-linux');

/** What a terminal of 80 columns shows. */
const onTerminal = async (
  args: readonly string[],
  answers = '',
): Promise<{ readonly code: number | null; readonly shown: string }> => {
  const command = `stty cols 80 rows 24; exec "${process.execPath}" "${bmsMain}" ${args.map((word) => `'${word}'`).join(' ')}`;
  const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], { env: { ...bms.env, TERM: 'xterm' } });
  let shown = '';
  child.stdout.on('data', (part) => {
    shown += part;
    if (answers !== '' && shown.includes('[y/N]')) {
      child.stdin.write(answers);
      answers = '';
    }
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  // Escape sequences readable: ^[[32m.
  return { code, shown: shown.replaceAll('\u001b', '^[') };
};

test.skipIf(!hasScript)('on a terminal: a progress bar, colours, and tables within 80 columns', async () => {
  const watched = await onTerminal(['backup', 'create', '--watch']);
  equal(watched.code, 0, watched.shown);
  match(watched.shown, /\r\^\[\[K\w+ +[█░]+ +\d+ %/);
  for (const line of watched.shown.split(/[\r\n]+|\^\[\[K/)) ok(line.length <= 80, line);
  const list = await onTerminal(['backup', 'ls']);
  match(list.shown, /\^\[\[32mcompleted\^\[\[39m/);
  const plain = await onTerminal(['backup', 'ls', '--no-color']);
  ok(!plain.shown.includes('^['));
  for (const line of plain.shown.split(/\r?\n/)) ok(line.length <= 80, line);
});

test.skipIf(!hasScript)('on a terminal: a restore shows its plan and asks; no is the default', async () => {
  await bms.json('backup', 'create', '--wait');
  const refused = await onTerminal(['restore', 'latest', '--plan'], '\r');
  equal(refused.code, 1, refused.shown);
  match(refused.shown, /unchanged +50/);
  match(refused.shown, /Restore into Project\? 0 will be created, 0 overwritten and 0 deleted\. \[y\/N\]/);
  match(refused.shown, /bms: nothing was written/);
  deepEqual(await bms.json('restore', 'ls'), []);
  const accepted = await onTerminal(['restore', 'latest', '--wait'], 'y\r');
  equal(accepted.code, 0, accepted.shown);
  match(accepted.shown, /Restore rst_\w+ completed: 0 restored, 0 deleted, 50 unchanged/);
});
