/** Installed, not cloned: the artifacts of a release in empty folders, used as a customer would. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, test } from 'vitest';
import { bms } from '../../../infra/release/bms/bms.ts';
import { client } from '../../../infra/release/client/client.ts';
import { local } from '../../../infra/release/local/local.ts';
import { device } from '../../../shared/contract/endpoints/device.ts';
import { version } from '../../../shared/contract/version.ts';
import { installDependencies } from '../../harness/release/install-dependencies.ts';
import { installedNodes } from '../../harness/release/installed-nodes.ts';
import { readmeExamples } from '../../harness/release/readme-examples.ts';
import { buildArtifact, installPackage } from '../../harness/release/unpack.ts';
import { consoleHeaders } from '../../harness/stage/browser.ts';
import { call } from '../../harness/stage/client.ts';

const home = mkdtempSync(join(tmpdir(), 'home-'));
/** Nothing of this repository is on the path. */
const clean = { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, HOME: home };

const customer = mkdtempSync(join(tmpdir(), 'customer-'));
const installed = await buildArtifact(bms);
execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', join(installed, `bms-${version}.tgz`)], {
  cwd: customer,
  env: clean,
});
const command = join(customer, 'node_modules/.bin/bms');
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): string =>
  execFileSync(command, args, { cwd: customer, env: { ...clean, ...env }, encoding: 'utf8' }).trimEnd();

test('bms, installed: one file of at most 6 MB without dependencies, for every Node on this machine', () => {
  const folder = join(customer, 'node_modules/bms');
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { dependencies?: unknown };
  equal(dependencies, undefined);
  ok(Number(execFileSync('du', ['-sb', folder], { encoding: 'utf8' }).split('\t')[0]) < 6_000_000);
  match(
    execFileSync('npx', ['--offline', 'bms', '--version'], { cwd: customer, env: clean, encoding: 'utf8' }),
    /^\d+\.\d+\.\d+ \(/,
  );
  for (const node of installedNodes())
    match(
      execFileSync(node, [join(folder, 'bms.mjs'), 'archive', '--help'], { env: clean, encoding: 'utf8' }),
      /bms archive ls s3:/,
    );
});

/* The Dockerfile, read as the steps that a build and a start perform. */

const released = await buildArtifact(local);
const docker = readFileSync(join(released, 'Dockerfile'), 'utf8')
  .split('\n')
  .flatMap((line): (readonly [string, string])[] => {
    const [, instruction = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return instruction === '' ? [] : [[instruction, rest]];
  });
const stepsOf = (instruction: string): readonly string[] =>
  docker.flatMap(([name, rest]) => (name === instruction ? [rest] : []));
const json = (text = ''): readonly string[] => JSON.parse(text.slice(text.indexOf('['))) as readonly string[];

let stage: ChildProcess | undefined;
afterAll(() => {
  delete process.env.STAGE_URL;
  stage?.kill('SIGKILL');
});

const ports = { PORT: '0', IDP_PORT: '0', S3_PORT: '0', GCS_PORT: '0', FIRESTORE_PORT: '0' };
const data = mkdtempSync(join(tmpdir(), 'data-'));

/** Runs the steps of the Dockerfile without Docker: copies, installs, and starts as it says, on ports that are free. */
const startContainer = async (): Promise<string> => {
  const workdir = mkdtempSync(join(tmpdir(), 'app-'));
  const folder = join(workdir, 'node_modules/local');
  mkdirSync(folder, { recursive: true });
  deepEqual(stepsOf('COPY'), [`local-${version}.tgz ./`]);
  ok(stepsOf('RUN').some((step) => step.startsWith(`npm install --omit=dev --no-audit --no-fund ./local-${version}.tgz`)));
  execFileSync('tar', ['-xzf', join(released, `local-${version}.tgz`), '-C', folder, '--strip-components=1']);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Parameters<typeof installDependencies>[0] & {
    readonly bin: Readonly<Record<string, string>>;
  };
  // npx calls it through a shell, whose own words win.
  deepEqual(Object.keys(manifest.bin), ['bms-local']);
  installDependencies(manifest, workdir);
  const settings = Object.fromEntries(stepsOf('ENV').flatMap((step) => step.split(' ').map((one) => one.split('='))));
  deepEqual(settings, { LISTEN_HOST: '0.0.0.0', LOCAL_DIR: '/data' });
  const [program = '', ...args] = json(stepsOf('CMD')[0]);
  // On loopback, so that other machines cannot reach the stage of a test.
  const env = { ...clean, ...settings, ...ports, LISTEN_HOST: '127.0.0.1', LOCAL_DIR: data };
  const started = spawn(program, args, { cwd: workdir, env, stdio: ['ignore', 'pipe', 'inherit'] });
  stage = started;
  let printed = '';
  return new Promise((done, fail) => {
    started.once('exit', (code) => fail(new Error(`the stage ended with ${code}: ${printed}`)));
    started.stdout.on('data', (part: Buffer) => {
      printed += part.toString();
      if (printed.includes('the demo failed')) fail(new Error(printed));
      if (printed.includes('Ctrl-C stops the stage')) done(printed);
    });
  });
};

test('local, client and bms, installed: the demo runs; a backup is taken, restored from, and read with the service stopped', async () => {
  deepEqual([stepsOf('USER'), stepsOf('VOLUME'), stepsOf('EXPOSE')], [['node'], ['/data'], ['3000 3001 4443 4566 8080']]);
  const printed = await startContainer();
  match(printed, /compared the restored project with the backup: 2000 documents are equal, 0 differ/);
  const url = /^ready (\S+)$/m.exec(printed)?.[1] ?? '';
  process.env.STAGE_URL = url;
  const [probe = '', ...probeArgs] = json(stepsOf('HEALTHCHECK')[0]).map((arg) => arg.replace('http://127.0.0.1:3000', url));
  execFileSync(probe, probeArgs, { env: clean });

  // Signs in with a code that the console approves.
  const login = spawn(command, ['login', '--url', url], { cwd: customer, env: clean, stdio: ['ignore', 'pipe', 'pipe'] });
  let shown = '';
  const approve = async (userCode: string): Promise<void> => {
    const headers = await consoleHeaders('ada@example.com');
    const { status, text } = await call(device.decide, { headers, body: { userCode, decision: 'approve' } });
    equal(status, 200, text);
  };
  let approved: Promise<void> | undefined;
  for (const stream of [login.stdout, login.stderr])
    stream.on('data', (part: Buffer) => {
      shown += part.toString();
      const [, userCode] = /enter the code (\S+),/.exec(shown) ?? [];
      if (userCode !== undefined) approved ??= approve(userCode);
    });
  const [code] = await once(login, 'close');
  await approved;
  equal(code, 0, shown);

  const passphrase = 'correct horse battery staple';
  run(['api', 'PUT', '/organizations/current/encryption', '--data', JSON.stringify({ mode: 'customer', passphrase })]);
  const backup = run(['backup', 'create', '--project', 'demo-project', '--wait', '--quiet']);
  const document = run(['backup', 'cat', backup, 'users/u0', '--plain']);
  const restore = run(['restore', backup, '--documents', 'users/u0', '--yes', '--wait', '--quiet']);
  match(run(['restore', 'show', restore]), /completed/);
  const projectId = run(['projects', 'show', 'demo-project', '--quiet']);
  const apiKey = run([
    'keys',
    'create',
    'Client',
    '--role',
    'member',
    '--permissions',
    'backups:read,backups:write,projects:read',
    '--quiet',
  ]);

  // The ten examples of the client's README, one after the other, as TypeScript that Node runs.
  const consumer = await installPackage(client);
  const examples = readmeExamples(readFileSync(join(consumer, 'node_modules/client/README.md'), 'utf8'));
  const imports = /^import .*;\n/gm;
  const program = [
    "import { ApiFailure, NetworkFailure, openClient, verifyWebhook, type WebhookDelivery, WebhookFailure } from 'client';",
    'const { PROJECT_ID: projectId = "", BACKUP_ID: backupId = "" } = process.env;',
    ...examples.map((text, n) => (n === 0 ? text : `{\n${text}}\n`).replaceAll(imports, '').replaceAll('users/ada', 'users/u0')),
  ].join('\n');
  writeFileSync(join(consumer, 'examples.mts'), program);
  const output = execFileSync(process.execPath, ['examples.mts'], {
    cwd: consumer,
    env: {
      ...clean,
      BMS_URL: url,
      BMS_API_KEY: apiKey,
      PROJECT_ID: projectId,
      BACKUP_ID: backup,
      WEBHOOK_SECRET: 'whsec_dGVzdA==',
    },
    encoding: 'utf8',
  });
  for (const expected of [
    /demo-project/,
    /^completed 2000$/m,
    /^users\/u0 \{/m,
    /^completed$/m,
    /^404 \S+$/m,
    /^true$/m,
    /^401$/m,
  ])
    match(output, expected);

  stage?.removeAllListeners('exit');
  stage?.kill('SIGTERM');
  deepEqual(await once(stage as ChildProcess, 'exit'), [0, null]);
  const folder = join(data, 's3/buckets/demo-backups/objects', projectId, backup);
  const offline = { ARCHIVE_PASSPHRASE: passphrase };
  match(run(['archive', 'verify', folder], offline), new RegExp(`^ok: ${backup}`));
  const read = JSON.parse(run(['archive', 'cat', folder, 'users/u0', '--json'], offline)) as {
    fields: { name: { stringValue: string } };
  };
  ok(document.includes(read.fields.name.stringValue), document);
}, 240_000);
