/** `bms deploy` from a folder and from an address, into an account whose CloudFormation is that of the stage. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, test } from 'vitest';
import { buildRelease } from '../../../../infra/release/build-release.ts';
import { template } from '../../../../infra/release/template/template.ts';
import { type DeployAccount, startDeployAccount } from '../../../harness/aws/deploy-account.ts';
import { type Bms, openBms } from '../../../harness/env/run-bms.ts';
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

test('bms deploy --diff and --template-only change nothing', async () => {
  const diff = await deploy('--from', `${addressOf(releases)}/2.0.0`, ...identity(), '--diff');
  equal(diff.code, 0, diff.err);
  match(diff.out, /^backup-management-service: \d+ resources would be touched: \d+ added\n$/);
  match(diff.err, /added {4} +1 {2}AWS::DynamoDB::Table/);
  deepEqual([...account.buckets], ['bms-release-123456789012-eu-central-1']);
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

test('publish.mjs: uploads the release to a bucket once, and prints the link that launches it', async () => {
  account.buckets.add('my-files');
  const env = { ...bms.env, AWS_REGION: 'eu-central-1' };
  const publish = async (...args: readonly string[]) =>
    (await promisify(execFile)(process.execPath, [join(dist, 'template/publish.mjs'), ...args], { env })).stdout;
  const first = await publish('--bucket', 'my-files', '--prefix', 'bms/');
  match(first, /^(\d+) of \1 files uploaded to s3:\/\/my-files\/bms\/ in eu-central-1/);
  match(first, /^launch {4}https:.*param_AssetBucket=my-files&param_AssetPrefix=bms%2F$/m);
  const [, templateUrl = ''] = /^template {2}(.*)$/m.exec(first) ?? [];
  ok(account.objects.has(`my-files${new URL(templateUrl).pathname}`));
  match(await publish('--bucket', 'my-files', '--prefix', 'bms/'), /^0 of \d+ files uploaded/);
  await rejects(publish('--bucket', 'nowhere'), /the bucket nowhere cannot be used/);
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
  match(err, /1 {2}the table: all records, and the wrapped keys of backups/);
  match(out, /^backup-management-service is removed; \d+ resources stay:\n/);
  match(out, /a key: without it backups cannot be decrypted/);
  match((await deploy('--destroy', '--yes')).err, /has no stack/);
});
