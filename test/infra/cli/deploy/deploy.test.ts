/** `bms deploy` from a folder and from an address, into an account whose CloudFormation is that of the stage. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildRelease } from '../../../../infra/release/build-release.ts';
import { template } from '../../../../infra/release/template/template.ts';
import { schemaVersion } from '../../../../shared/contract/version.ts';
import { type DeployAccount, startDeployAccount } from '../../../harness/aws/deploy-account.ts';
import { type Bms, bmsMain, openBms } from '../../../harness/env/run-bms.ts';
import { hasTerminal, runOnTerminal } from '../../../harness/env/run-on-terminal.ts';
import { installedNodes } from '../../../harness/release/installed-nodes.ts';
import { changeCode, makeOtherSchema } from '../../../harness/release/other-schema.ts';
import { tinyRelease } from '../../../harness/release/tiny-release.ts';

const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
const dist = join(folder, 'dist');
let account: DeployAccount;
let api: Server;
let releases: Server;
let bms: Bms;

const addressOf = (server: Server): string => `http://localhost:${(server.address() as AddressInfo).port}`;
const listening = async (server: Server): Promise<Server> => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
};

/** Without a cached one, the template is synthesized for every value of a parameter. */
const buildTimeoutMs = 300_000;

beforeAll(async () => {
  const context = tinyRelease(folder);
  await buildRelease({ artifacts: [{ name: template.name, build: () => template.build(context) }], out: dist });
  // What a new deployment answers before its client secret is stored: the smoke test stops there.
  api = await listening(
    createServer(({ url = '' }, response) => {
      if (url.startsWith('/.well-known') || url.startsWith('/issuer'))
        return void response.end(
          JSON.stringify({
            issuer: addressOf(api),
            ...Object.fromEntries(['authorization_endpoint', 'token_endpoint', 'jwks_uri'].map((name) => [name, addressOf(api)])),
          }),
        );
      response.writeHead(503).end('{}');
    }),
  );
  releases = await listening(
    createServer(({ url = '' }, response) => {
      try {
        response.end(readFileSync(join(dist, url.replace('/2.0.0/', ''))));
      } catch {
        response.writeHead(404).end();
      }
    }),
  );
  account = await startDeployAccount(() => addressOf(api));
  bms = openBms({
    AWS_ENDPOINT_URL: account.url,
    AWS_ACCESS_KEY_ID: 'AKIADEPLOY',
    AWS_SECRET_ACCESS_KEY: 'a-secret-key',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: join(folder, 'none'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
  });
}, buildTimeoutMs);
afterAll(() => {
  account.close();
  api.close();
  releases.close();
  rmSync(folder, { recursive: true });
});

const deploy = (...args: readonly string[]) => bms.run(['deploy', '--region', 'eu-central-1', ...args]);
const identity = (): readonly string[] => ['--set', 'identityClientId=client-1', '--set', `identityIssuer=${addressOf(api)}`];

test('bms deploy: what is missing or wrong is said before anything is created', async () => {
  for (const [args, words] of [
    [[], /--from is missing/],
    [['--from', dist, '--diff', '--destroy'], /--diff and --destroy exclude each other/],
    [['--from', dist], /--set identityClientId=… is required: client id at the identity provider/],
    [['--from', dist, '--set', 'plann=starter'], /--set plann: is no setting of the template; it has identityClientId, /],
    [['--from', dist, '--set', 'plan=gold'], /--set plan: must be one of enterprise, professional, starter/],
    [['--from', dist, '--name', 'a'.repeat(41)], /--name must begin with a letter and have at most 40/],
    [['--from', folder], /is .* the folder of a release/],
    [['--from', 'http://releases.example.com'], /--from must be a folder or an https address/],
  ] as const) {
    const { code, err } = await deploy(...args);
    deepEqual([code, words.test(err)], [2, true], err);
  }
  const { code, err } = await deploy('--destroy', '--yes');
  deepEqual([code, /has no stack backup-management-service in eu-central-1/.test(err)], [4, true], err);
  equal(account.objects.size, 0);
});

// The usual name can be guessed: somebody else may have made a bucket of that name that anyone can read and write.
test('bms deploy: a bucket of another account is refused, and gets nothing', async () => {
  const usual = 'bms-release-123456789012-eu-central-1';
  account.buckets.set(usual, '999988887777');
  const { code, err } = await deploy('--from', dist, ...identity(), '--diff');
  deepEqual(
    [code, /the bucket bms-release-123456789012-eu-central-1 is not one of account 123456789012/.test(err)],
    [2, true],
    err,
  );
  equal(account.objects.size, 0);
  account.buckets.delete(usual);
});

test('bms deploy --diff and --template-only change nothing', async () => {
  const diff = await deploy('--from', `${addressOf(releases)}/2.0.0`, ...identity(), '--diff');
  equal(diff.code, 0, diff.err);
  match(diff.out, /^backup-management-service: ([\d,]+) resources would be touched: \1 added\n$/);
  match(diff.err, /created the private bucket bms-release-123456789012-eu-central-1 for the files of releases/);
  match(diff.err, /added {4} +1 {2}AWS::DynamoDB::Table/);
  deepEqual([...account.buckets.keys()], ['bms-release-123456789012-eu-central-1']);
  const launch = await deploy('--from', dist, '--template-only', '--json');
  const { templateUrl, launch: link } = JSON.parse(launch.out) as { templateUrl: string; launch: string };
  ok(account.objects.has(new URL(templateUrl).pathname.replace('/', 'bms-release-123456789012-eu-central-1/')));
  match(
    link,
    /^https:\/\/eu-central-1\.console\.aws\.amazon\.com\/cloudformation\/home\?region=eu-central-1#\/stacks\/create\/review\?templateURL=https/,
  );
  match((await deploy('--destroy', '--yes')).err, /has no stack/);
});

test('bms deploy: runs the preflight, deploys, prints the next steps and ends with the smoke test; a second run has nothing to do', async () => {
  const first = await deploy('--from', dist, ...identity(), '--yes');
  for (const line of [
    /^ok +Lambda concurrency/m,
    /will be touched/,
    /\d+ of \d+ resources/,
    /1\. printf 'Client secret of client-1/,
    /smoke test of http/,
  ])
    match(first.err, line);
  ok(!first.err.includes('CDK bootstrap'));
  match(first.out, /^backup-management-service is deployed at http:\/\/localhost:\d+; its dashboard: https/);
  // The API of this test answers 503.
  equal(first.code, 1, first.err);
  match(first.err, /the smoke test of .* failed/);
  const again = await deploy('--from', dist, '--yes');
  deepEqual([again.code, again.out], [0, 'backup-management-service is up to date\n'], again.err);
  const changed = await deploy('--from', dist, '--set', 'alarmEmail=ops@example.com', '--diff', '--json');
  const { changes } = JSON.parse(changed.out) as { changes: readonly { action: string; type: string }[] };
  deepEqual(
    changes.map(({ action, type }) => `${action} ${type}`),
    ['Add AWS::SNS::Subscription'],
  );
});

// CloudFormation's own roll back is no such deployment: it finds the former state as it was.
test('bms deploy: a release behind the schema of the table is refused by the preflight, and by the deployment itself', async () => {
  const next = join(folder, 'next');
  makeOtherSchema({ from: dist, to: next, release: '3.0.0', version: schemaVersion + 1 });
  account.schema = { release: '3.0.0', version: schemaVersion + 1 };
  const older = await deploy('--from', dist, '--set', 'plan=starter', '--yes');
  deepEqual([older.code, older.out], [1, '']);
  match(
    older.err,
    /^do {6}schema of the table: 3\.0\.0 has written the table with schema \d+, and .*: use 3\.0\.0 or a later release/m,
  );
  match(older.err, /the preflight found something to do/);
  // What this bms knows itself does not matter.
  const later = await deploy('--from', next, '--yes');
  match(later.err, /^ok {6}schema of the table: 3\.0\.0 knows it and writes version/m);
  match(later.out, /is deployed at/);
  const back = await deploy('--from', dist, '--skip-preflight', '--yes');
  deepEqual([back.code, back.out], [1, ''], back.err);
  match(back.err, /Schema\d+ \(Custom::SchemaCheck\): .*3\.0\.0 has written the table with schema/);
  match(back.err, /was taken back \(UPDATE_ROLLBACK_COMPLETE\)/);
  equal((await deploy('--from', next, '--diff')).out, 'backup-management-service is up to date\n');
  account.schema = undefined;
  match((await deploy('--from', dist, '--yes')).out, /is deployed at/);
});

test('bms deploy: what the preflight finds stops it, before anything is uploaded', async () => {
  account.answers = {
    GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } },
  };
  const files = account.objects.size;
  const { code, out, err } = await deploy('--from', dist, '--name', 'small', ...identity(), '--yes');
  account.answers = {};
  deepEqual([code, out, account.objects.size], [1, '', files], err);
  match(err, /^do {6}Lambda concurrency: 10 concurrent functions/m);
  match((await deploy('--destroy', '--name', 'small', '--yes')).err, /has no stack small/);
});

test('bms deploy: an update lists what it does; one that fails is taken back, with the reasons', async () => {
  const update = await deploy('--from', dist, '--set', 'alarmEmail=ops@example.com', '--yes');
  match(update.err, /: 1 resource will be touched: 1 added/);
  match(update.err, /1 of 1 resources {2}created {2}Data {6}AlarmSubscription {2}AWS::SNS::Subscription/);
  match(update.out, /is deployed at/);
  const lost = [...account.objects].find(([name]) => name.includes('alert-sweep')) ?? ['', Buffer.of()];
  equal(lost[0].endsWith('.zip'), true);
  const next = join(folder, 'failing');
  cpSync(dist, next, { recursive: true });
  changeCode(next, 'alert-sweep');
  // The function's zip is removed between the upload and the deployment.
  account.vanishing = /alert-sweep-changed/;
  const failed = await deploy('--from', next, '--yes');
  account.vanishing = undefined;
  deepEqual([failed.code, failed.out], [1, ''], failed.err);
  match(failed.err, /AlertSweep\w* \(AWS::Lambda::Function\): .*NoSuchKey/);
  match(failed.err, /the deployment failed and was taken back \(UPDATE_ROLLBACK_COMPLETE\)/);
  equal((await deploy('--from', dist, '--diff')).out, 'backup-management-service is up to date\n');
});

test('bms deploy: a domain of which nothing knows yet is no failure; the smoke test comes after its record', async () => {
  const arn = 'arn:aws:acm:eu-central-1:123456789012:certificate/1';
  const domain = ['--set', 'domainName=backups.example.com', '--set', `certificateArn=${arn}`];
  const { code, out, err } = await deploy('--from', dist, '--name', 'named', ...identity(), ...domain, '--yes');
  equal(code, 0, err);
  match(out, /^named is deployed at https:\/\/backups\.example\.com; /);
  match(err, /no smoke test yet: point backups\.example\.com at d-\w+\.execute-api\.\S+, then run bms smoke https:\/\/backups/);
  ok(!err.includes('smoke test of'));
  equal((await deploy('--destroy', '--name', 'named', '--yes')).code, 0);
});

describe.skipIf(!hasTerminal)('bms deploy on a terminal', () => {
  const onTerminal = (answer: string) =>
    runOnTerminal({
      command: [
        process.execPath,
        bmsMain,
        'deploy',
        '--region',
        'eu-central-1',
        '--from',
        dist,
        '--name',
        'asked',
        ...identity(),
      ],
      env: bms.env,
      question: /Deploy asked into account 123456789012, eu-central-1\? \[y\/N\]/,
      answer,
    });

  test('asks, and deploys nothing without a yes', async () => {
    const { shown, code } = await onTerminal('n\r');
    equal(code, 1, shown);
    match(shown, /nothing was deployed/);
    match((await deploy('--destroy', '--name', 'asked', '--yes')).err, /has no stack asked/);
  });

  test('shows how many resources are left, and for how long', async () => {
    const { shown } = await onTerminal('y\r');
    match(shown, /\d+ of \d+ resources {2}about \d+ \S+ left/);
    match(shown, /asked is deployed at/);
    equal((await deploy('--destroy', '--name', 'asked', '--yes')).code, 0);
  });
});

test('publish.mjs: uploads the release to a bucket once, and prints the link that launches it', async () => {
  account.buckets.set('my-files', '123456789012');
  account.buckets.set('their-files', '999988887777');
  const env = { ...bms.env, AWS_REGION: 'eu-central-1' };
  const publishWith = async (node: string, ...args: readonly string[]) =>
    (await promisify(execFile)(node, [join(dist, 'template/publish.mjs'), ...args], { env })).stdout;
  const publish = (...args: readonly string[]) => publishWith(process.execPath, ...args);
  const first = await publish('--bucket', 'my-files', '--prefix', 'bms/');
  match(first, /^(\d+) of \1 files uploaded to s3:\/\/my-files\/bms\/ in eu-central-1/);
  match(first, /^launch {4}https:.*param_AssetBucket=my-files&param_AssetPrefix=bms%2F$/m);
  const [, templateUrl = ''] = /^template {2}(.*)$/m.exec(first) ?? [];
  ok(account.objects.has(`my-files${new URL(templateUrl).pathname}`));
  for (const node of installedNodes())
    match(await publishWith(node, '--bucket', 'my-files', '--prefix', 'bms/'), /^0 of \d+ files uploaded/, node);
  await rejects(publish('--bucket', 'nowhere'), /the bucket nowhere of account 123456789012 cannot be used/);
  await rejects(publish('--bucket', 'their-files'), /the bucket their-files of account 123456789012 cannot be used/);
  match(await publish('--bucket', 'their-files', '--owner', '999988887777'), /files uploaded to s3:\/\/their-files\//);
});

test('bms deploy: a file whose digest is wrong is refused', async () => {
  const path = join(dist, 'template/template.json');
  const intact = readFileSync(path);
  appendFileSync(path, ' ');
  const { code, err } = await deploy('--from', dist, '--diff');
  deepEqual([code, /template\/template\.json is damaged: its digest is not that of SHA256SUMS/.test(err)], [2, true], err);
  writeFileSync(path, intact);
});

test('bms deploy --destroy: removes a protected deployment, and says what stays and why', async () => {
  const asked = await deploy('--destroy');
  deepEqual([asked.code, /Add --yes to confirm/.test(asked.err)], [2, true], asked.err);
  const { code, out, err } = await deploy('--destroy', '--yes');
  equal(code, 0, err);
  match(err, /The files of the release stay in s3:\/\/bms-release-123456789012-eu-central-1\/backup-management-service\/;/);
  match(err, /1 {2}the table: all records, and the wrapped keys of backups/);
  match(out, /^backup-management-service is removed; [\d,]+ resources stay:\n/);
  match(out, /a key: without it backups cannot be decrypted/);
  match((await deploy('--destroy', '--yes')).err, /has no stack/);
});
