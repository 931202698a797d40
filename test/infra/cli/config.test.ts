/** Stored sign-ins and settings. */
import { deepEqual, equal, match, rejects, throws } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, test } from 'vitest';
import { CliFailure } from '../../../infra/cli/base/cli-failure.ts';
import { ConfigFile, configPath } from '../../../infra/cli/config/config-file.ts';
import { openSession } from '../../../infra/cli/config/open-session.ts';
import { type GlobalOptions, readSettings, serviceUrl } from '../../../infra/cli/config/settings.ts';

const scratch = mkdtempSync(join(tmpdir(), 'bms-'));
afterAll(() => rmSync(scratch, { recursive: true }));
let files = 0;
const newFile = (): ConfigFile => new ConfigFile(join(scratch, String(files++), 'bms', 'config.json'));

test('config: the file and its folder are readable by their owner only, and replaced at once', async () => {
  const file = newFile();
  deepEqual(file.read(), { profiles: {} });
  await file.update(() => ({ current: 'https://a', profiles: { 'https://a': { apiKey: 'k' } } }));
  equal(statSync(file.path).mode & 0o777, 0o600);
  equal(statSync(dirname(file.path)).mode & 0o777, 0o700);
  deepEqual(readdirSync(dirname(file.path)), ['config.json']);
});

test('config: a file that others can read is repaired, with a warning once', async () => {
  const file = newFile();
  equal(file.repairAccess(), undefined);
  await file.update(() => ({ profiles: {} }));
  equal(file.repairAccess(), undefined);
  const modes = () => [file.path, dirname(file.path)].map((path) => statSync(path).mode & 0o777);
  chmodSync(file.path, 0o644);
  chmodSync(dirname(file.path), 0o755);
  equal(file.repairAccess('win32'), undefined);
  deepEqual(modes(), [0o644, 0o755]);
  const warning = file.repairAccess() ?? '';
  match(
    warning,
    /config\.json, .* could be read by other users of this machine \(mode 644\), and is in a folder .* \(mode 755\)\./,
  );
  match(warning, /bms logout and bms login/);
  deepEqual(modes(), [0o600, 0o700]);
  equal(file.repairAccess(), undefined);
  chmodSync(dirname(file.path), 0o777);
  match(file.repairAccess() ?? '', /sign-ins, is in a folder that was open to other users \(mode 777\)\./);
  deepEqual(modes(), [0o600, 0o700]);
});

test('config: every command warns on stderr and repairs', async () => {
  const home = join(scratch, String(files++));
  const path = configPath({ HOME: home });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '{"profiles":{}}', { mode: 0o640 });
  chmodSync(path, 0o640);
  const run = () =>
    spawnSync(process.execPath, ['infra/cli/main.ts', 'orgs', 'ls', '--quiet', '--url', 'http://localhost:1'], {
      env: { HOME: home, PATH: process.env.PATH },
      encoding: 'utf8',
    });
  const [first, second] = [run(), run()];
  match(first.stderr, /^warning: .*config\.json, .*\(mode 640\).*\nbms: not signed in/);
  deepEqual([first.stdout, statSync(path).mode & 0o777], ['', 0o600]);
  match(second.stderr, /^bms: not signed in/);
});

test('config: an update that fails leaves the file and no lock', async () => {
  const file = newFile();
  await file.update(() => ({ current: 'https://a', profiles: {} }));
  await rejects(
    file.update(() => Promise.reject(new Error('no'))),
    /^Error: no$/,
  );
  equal(file.read().current, 'https://a');
  deepEqual(readdirSync(dirname(file.path)), ['config.json']);
});

test('config: the lock of a command that was killed expires', async () => {
  const file = newFile();
  await file.update(() => ({ profiles: {} }));
  writeFileSync(`${file.path}.lock`, '');
  const longAgo = new Date(Date.now() - 120_000);
  utimesSync(`${file.path}.lock`, longAgo, longAgo);
  await file.update(() => ({ current: 'https://b', profiles: {} }));
  equal(file.read().current, 'https://b');
});

test('config: a damaged file is one clear line', () => {
  const file = newFile();
  const path = join(scratch, 'damaged.json');
  writeFileSync(path, '{"profiles": secret');
  throws(
    () => new ConfigFile(path).read(),
    (error) => error instanceof CliFailure && error.exitCode === 2 && !error.message.includes('secret'),
  );
  match(configPath({ XDG_CONFIG_HOME: '/x' }), /^\/x\/bms\/config\.json$/);
  match(configPath({ HOME: '/home/ada' }), /^\/home\/ada\/\.config\/bms\/config\.json$/);
  equal(file.read().current, undefined);
});

test('settings: flags win over variables, and variables over the file', async () => {
  const file = newFile();
  await file.update(() => ({ current: 'https://c', profiles: { 'https://b': { organizationId: 'org_b' } } }));
  const settings = (options: object, env: Record<string, string>) => readSettings(options, env, file);
  equal(settings({ url: 'https://a/' }, { BMS_URL: 'https://b' }).url, 'https://a');
  equal(settings({}, { BMS_URL: 'https://b' }).url, 'https://b');
  equal(settings({}, { BMS_URL: 'https://b' }).organization, 'org_b');
  equal(settings({ organization: 'x' }, { BMS_URL: 'https://b', BMS_ORGANIZATION: 'y' }).organization, 'x');
  equal(settings({}, { BMS_URL: '' }).url, 'https://c');
  throws(() => settings({}, { BMS_TOKEN: 'a', BMS_API_KEY: 'b' }), /either BMS_TOKEN or BMS_API_KEY/);
});

test('settings: the organization of a stored sign-in is not that of credentials of the environment', async () => {
  const file = newFile();
  const url = 'https://a.example';
  const stored = { accessToken: 't', organizationId: 'org_a' };
  await file.update(() => ({
    current: url,
    profiles: { [url]: stored, bare: { url: 'https://b.example', organizationId: 'org_b' } },
  }));
  const organization = (env: Record<string, string>, options: GlobalOptions = {}) =>
    readSettings(options, env, file).organization;
  equal(organization({}), 'org_a');
  equal(organization({ BMS_API_KEY: 'k' }), undefined);
  equal(organization({ BMS_TOKEN: 't' }), undefined);
  equal(organization({ BMS_API_KEY: 'k', BMS_ORGANIZATION: 'org_c' }), 'org_c');
  equal(organization({ BMS_API_KEY: 'k' }, { organization: 'org_d' }), 'org_d');
  // A profile that is asked for is used with its own sign-in.
  equal(organization({ BMS_API_KEY: 'k', BMS_PROFILE: url }), 'org_a');
  // Chosen with a token of the environment, before there was a sign-in.
  equal(organization({ BMS_TOKEN: 't', BMS_URL: 'https://b.example' }), 'org_b');
  equal(organization({ BMS_API_KEY: 'k', BMS_URL: 'https://b.example' }), undefined);
});

test('settings: a profile is chosen by name, else by address, else the current one', async () => {
  const file = newFile();
  const acme = { url: 'https://acme.example', apiKey: 'k', organizationId: 'org_acme' };
  await file.update(() => ({ current: 'https://a.example', profiles: { acme, 'https://a.example': { accessToken: 't' } } }));
  const chosen = (options: GlobalOptions, env: Record<string, string> = {}) => {
    const { profile, url, organization } = readSettings(options, env, file);
    return [profile, url, organization];
  };
  deepEqual(chosen({}), ['https://a.example', 'https://a.example', undefined]);
  deepEqual(chosen({ profile: 'acme' }), ['acme', 'https://acme.example', 'org_acme']);
  deepEqual(chosen({}, { BMS_PROFILE: 'acme' }), ['acme', 'https://acme.example', 'org_acme']);
  deepEqual(chosen({ url: 'acme.example' }), ['acme', 'https://acme.example', 'org_acme']);
  deepEqual(chosen({ url: 'https://b.example', profile: 'new' }), ['new', 'https://b.example', undefined]);
  throws(() => chosen({ profile: 'nobody' }), /there is no profile nobody \(there are acme, https:\/\/a\.example\)/);
  throws(() => chosen({ profile: 'acme', url: 'https://b.example' }), /the profile acme is one of https:\/\/acme\.example/);
});

test('settings: an address without encryption must be this machine, or be allowed', () => {
  const file = newFile();
  for (const url of [
    'http://localhost:3000',
    'http://127.0.0.1:1',
    'http://127.9.8.7',
    'http://[::1]:3000',
    'http://bms.localhost',
  ])
    equal(readSettings({ url }, {}, file).url, url);
  for (const url of [
    'http://backups.example.com',
    'http://10.0.0.1',
    'http://localhost.example.com',
    'http://127.0.0.1.nip.io',
  ]) {
    throws(() => readSettings({ url }, {}, file), /is not encrypted.*--insecure \(BMS_INSECURE=1\)/);
    equal(readSettings({ url, insecure: true }, {}, file).url, url);
    equal(readSettings({ url }, { BMS_INSECURE: '1' }, file).url, url);
  }
});

test('serviceUrl: accepts what people copy, and refuses what is not an address', () => {
  equal(serviceUrl('https://x.example.com/console/projects'), 'https://x.example.com');
  equal(serviceUrl('http://localhost:3000/api/v1'), 'http://localhost:3000');
  equal(serviceUrl('backups.example.com'), 'https://backups.example.com');
  for (const text of ['', 'ftp://x', 'https://user:pass@x', 'http://']) throws(() => serviceUrl(text), CliFailure, text);
});

/** The refresh token works once, as at the service. */
const startService = async () => {
  let valid = 'refresh-1';
  let refreshes = 0;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const answer = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (request.url === '/api/v1/auth/refresh') {
      if (JSON.parse(body).refreshToken !== valid)
        return answer(401, { success: false, error: { code: 'UNAUTHORIZED', message: 'No' } });
      refreshes += 1;
      valid = `refresh-${refreshes + 1}`;
      return answer(200, {
        success: true,
        data: { accessToken: `access-${refreshes + 1}`, refreshToken: valid, expiresIn: 3_600 },
      });
    }
    const isCurrent = request.headers.authorization === `Bearer access-${refreshes + 1}` && refreshes > 0;
    return isCurrent
      ? answer(200, { success: true, data: { email: 'ada@example.com' } })
      : answer(401, { success: false, error: { code: 'UNAUTHORIZED', message: 'Expired' } });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, count: () => refreshes };
};

test('session: two commands at once renew an expired session once, and store the new tokens', async () => {
  const { url, server, count } = await startService();
  const file = newFile();
  await file.update(() => ({ current: url, profiles: { [url]: { accessToken: 'access-1', refreshToken: 'refresh-1' } } }));
  const open = () => openSession({ profile: url, url, organization: undefined, credentials: { from: 'profile' } }, file).anywhere;
  const [a, b] = [open(), open()];
  const users = await Promise.all([a.request('GET /auth/me'), b.request('GET /auth/me')]);
  deepEqual(
    users.map(({ email }) => email),
    ['ada@example.com', 'ada@example.com'],
  );
  equal(count(), 1);
  deepEqual(file.read().profiles[url], { accessToken: 'access-2', refreshToken: 'refresh-2' });
  match(readFileSync(file.path, 'utf8'), /access-2/);
  server.close();
});

test('session: without credentials the command is refused with exit code 3', () => {
  throws(
    () =>
      openSession(
        { profile: 'https://x', url: 'https://x', organization: undefined, credentials: { from: 'profile' } },
        newFile(),
      ),
    (error) => error instanceof CliFailure && error.exitCode === 3 && /not signed in to https:\/\/x/.test(error.message),
  );
});
