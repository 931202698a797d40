/** Whole stages: console output, and what survives. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, test } from 'vitest';
import { StartError } from '../../../infra/local/base/settings.ts';
import type { ResolvedResource } from '../../../infra/local/cloudformation/read-template.ts';
import { signIn } from '../../../infra/local/demo/sign-in.ts';
import { startStage } from '../../../infra/local/stage.ts';
import { openClient } from '../../../shared/client/index.ts';

const main = fileURLToPath(new URL('../../../infra/local/main.ts', import.meta.url));
const dirs: string[] = [];
const newDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'stage-'));
  dirs.push(dir);
  return dir;
};
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
  /** The address in the line `ready …`. */
  readonly ready: Promise<string>;
}

const start = (env: Record<string, string>): Started => {
  const clean = {
    PATH: process.env.PATH ?? '',
    // Not a setting: it only avoids compiling everything at each start.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    PORT: '0',
    IDP_PORT: '0',
    S3_PORT: '0',
    GCS_PORT: '0',
    FIRESTORE_PORT: '0',
    DEMO: '0',
  };
  const child = spawn(process.execPath, [main], { env: { ...clean, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const exited = new Promise<number | null>((done) => child.once('close', done));
  const ready = new Promise<string>((done, fail) => {
    const hear = (part: Buffer): void => {
      output += part;
      const [, url] = /^ready (http\S+)$/m.exec(output) ?? [];
      if (url) done(url);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    void exited.then(() => fail(new Error(`the stage ended: ${output}`)));
  });
  ready.catch(() => {});
  return { child, output: () => output, exited, ready };
};

/** The last line of a failed start; there must be no stack trace. */
const refusal = async (env: Record<string, string>): Promise<string> => {
  const { exited, output } = start(env);
  assert.equal(await exited, 1, output());
  assert.doesNotMatch(output(), /^\s+at /m);
  return output().trimEnd().split('\n').at(-1) ?? '';
};

/** Processes whose arguments contain the folder. */
const processesOf = (dir: string): readonly string[] =>
  execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(dir));

const call = async (
  url: string,
  { path, token, more = {} }: { readonly path: string; readonly token: string; readonly more?: RequestInit | undefined },
) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more.headers };
  const answer = await fetch(url + path, { ...more, headers });
  return {
    status: answer.status,
    body: (await answer.json()) as { data: { id: string; name: string }; error: { code: string } },
  };
};
const createOrganization = (url: string, token: string) =>
  call(url, { path: '/api/v1/organizations', token, more: { method: 'POST', body: JSON.stringify({ name: 'Kept' }) } });

const anyPorts = {
  port: 0,
  identityPort: 0,
  s3Port: 0,
  gcsPort: 0,
  firestorePort: 0,
  allowedHosts: [],
  delayScale: 1,
  demo: false,
};

// Each boots a stage or several.
describe('npm start', { timeout: 300_000 }, () => {
  test('rejects an invalid variable in one line', async () => {
    assert.equal(await refusal({ PORT: 'eighty' }), 'PORT="eighty": must be a port from 0 to 65535');
  });

  test('rejects a port in use in one line that names port and variable, for each port', async () => {
    const taken = createServer();
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
    const { port } = taken.address() as AddressInfo;
    const dir = newDir();
    const lineOf = (variable: string): string =>
      `port ${port} is in use; stop the process that uses it, or set ${variable} to another port`;
    assert.equal(await refusal({ PORT: String(port), LOCAL_DIR: dir }), lineOf('PORT'));
    // `npm start` prints every StartError like the first one, so the other ports need no process.
    for (const [option, variable] of Object.entries({
      identityPort: 'IDP_PORT',
      s3Port: 'S3_PORT',
      gcsPort: 'GCS_PORT',
      firestorePort: 'FIRESTORE_PORT',
    }))
      await assert.rejects(startStage({ ...anyPorts, dir, [option]: port }), new StartError(lineOf(variable)));
    assert.deepEqual(processesOf(dir), []);
    taken.close();
  });

  test('reports a missing Java in one line', async () => {
    const bin = newDir();
    for (const tool of ['sh', 'cat']) symlinkSync(`/bin/${tool}`, join(bin, tool));
    const line = await refusal({ PATH: bin, LOCAL_DIR: newDir() });
    assert.match(line, /Java 17/);
  });

  test('survives kill -9, locks its folder, and leaves no process behind', async () => {
    const dir = newDir();
    const first = start({ LOCAL_DIR: dir, DEMO: '1' });
    const url = await first.ready;
    for (const endMs = Date.now() + 300_000; !first.output().includes('Ctrl-C'); await pause(50)) {
      assert.ok(Date.now() < endMs, first.output());
    }

    assert.match(first.output(), /backed up 2000 documents as of .*\n.*verified all \d+ objects of the backup: passed\n/);

    // The printed calls work as printed.
    const [, organizationId = ''] = /BMS_ORGANIZATION=(org_\w+)/.exec(first.output()) ?? [];
    const token = readFileSync(join(dir, 'demo', 'token'), 'utf8');
    const demo = await call(url, {
      path: '/api/v1/organizations/current',
      token,
      more: { headers: { 'x-organization-id': organizationId } },
    });
    assert.equal(demo.status, 200);
    assert.equal(demo.body.data.name, 'Analytical Engines');
    const [, backupId = ''] = /bms backup show (bkp_\w+)$/m.exec(first.output()) ?? [];
    const backup = await call(url, {
      path: `/api/v1/backups/${backupId}`,
      token,
      more: { headers: { 'x-organization-id': organizationId } },
    });
    assert.equal(backup.status, 200, backupId);

    // The overview begins calm because both projects are protected.
    const client = openClient({ baseUrl: url, token, organizationId });
    const { totals, attention } = await client.request('GET /overview', {});
    assert.deepEqual([totals.protected, totals.projects, attention], [2, 2, []]);

    // The demo's bucket has Object Lock, as the guide says.
    const credentials = { accessKeyId: 'demo', secretAccessKey: 'demo' };
    const locked = await client.request('POST /storage-destinations', {
      body: { name: 'Locked', type: 's3', bucket: 'demo-backups', credentials, objectLock: { mode: 'governance', days: 1 } },
    });
    assert.deepEqual(locked.objectLock, { mode: 'governance', days: 1 });

    assert.match(await refusal({ LOCAL_DIR: dir }), /^another stage is running in .*LOCAL_DIR/);

    first.child.kill('SIGKILL');
    await first.exited;
    const again = start({ LOCAL_DIR: dir, PORT: new URL(url).port });
    assert.equal(await again.ready, url);
    // Signed before the restart with a key that must have been kept; membership is read from the table.
    const kept = await call(url, {
      path: '/api/v1/organizations/current',
      token,
      more: { headers: { 'x-organization-id': organizationId } },
    });
    assert.equal(kept.status, 200, JSON.stringify(kept.body));

    again.child.kill('SIGTERM');
    assert.equal(await again.exited, 0);
    await assert.rejects(fetch(url), 'the port is free');
    for (const endMs = Date.now() + 60_000; processesOf(dir).length > 0; await pause(50)) {
      assert.ok(Date.now() < endMs, `left running: ${processesOf(dir).join('\n')}`);
    }
  });
});

describe('the template', { timeout: 300_000 }, () => {
  /** Removes an action from the role of one function. */
  const without = (functionId: string, action: string) => (resources: readonly ResolvedResource[]) => {
    const roleArn = resources.find(({ logicalId, type }) => type.endsWith('::Function') && logicalId.startsWith(functionId))
      ?.properties.Role;
    let taken = 0;
    const changed = resources.map((resource) => {
      if (resource.arn !== roleArn) return resource;
      const text = JSON.stringify(resource.properties).replaceAll(JSON.stringify(action), () => {
        taken++;
        return '"nothing:AtAll"';
      });
      return { ...resource, properties: JSON.parse(text) };
    });
    assert.ok(taken > 0, `the role of ${functionId} had no ${action}`);
    return changed;
  };

  test('decides permissions: a removed action is AccessDenied in that function only', async (t) => {
    const dir = newDir();
    const stage = await startStage({
      ...anyPorts,
      dir,
      tamper: without('OrganizationsCreate', 'dynamodb:PutItem'),
      config: { plan: 'starter', warmEndpoints: ['auth.me'] },
    });
    t.onTestFinished(stage.stop);
    const { accessToken } = await signIn(stage.url, 'ada@example.com');
    // A warm endpoint is invoked through its alias.
    assert.equal((await call(stage.url, { path: '/api/v1/auth/me', token: accessToken })).status, 200);
    const aliases = stage.functions.flatMap(({ aliasArns = [], handler }) =>
      aliasArns.map((arn) => [handler, arn.split(':').at(-1)]),
    );
    assert.deepEqual(aliases, [['me', 'warm']]);

    const refused = await createOrganization(stage.url, accessToken);
    assert.equal(refused.status, 500);
    assert.equal(refused.body.error.code, 'INTERNAL_ERROR');
    assert.doesNotMatch(JSON.stringify(refused.body), /AccessDenied|dynamodb/);
    const name = stage.functions.find(({ handler, entry }) => handler === 'create' && entry.endsWith('organizations.ts'))?.name;
    // Output of a function arrives after its response.
    const isLogged = () => /AccessDenied[\s\S]*dynamodb:PutItem/.test(readFileSync(join(dir, 'log', `${name}.log`), 'utf8'));
    while (!isLogged()) await pause(50);

    // Configuration overrides reach the functions.
    assert.ok(stage.functions.every(({ environment }) => environment.PLAN === undefined || environment.PLAN === 'starter'));
  });

  test('refuses what comes around CloudFront, and counts callers behind it by their own address', async (t) => {
    const secret = 'a secret of the distribution';
    const cloudFrontSecretDigest = createHash('sha256').update(secret).digest('hex');
    const config = { cloudFrontSecretDigest, requireCloudFront: true };
    const stage = await startStage({ ...anyPorts, dir: newDir(), config });
    t.onTestFinished(stage.stop);
    // A static function, one of the table, the fallback, and a preflight of an allowed origin.
    const calls = [
      ['GET', '/health?checks=true', 200],
      ['GET', '/docs', 200],
      ['HEAD', '/api/v1/auth/me', 401],
      ['POST', '/api/v1/organizations', 401],
      ['GET', '/nothing', 404],
    ] as const;
    const send = (method: string, path: string, headers: Record<string, string> = {}) =>
      fetch(`${stage.url}${path}`, { method, headers, redirect: 'manual' });
    for (const [method, path, status] of calls) {
      for (const headers of [{}, { 'x-cloudfront-secret': 'guess' }, { 'x-cloudfront-secret': cloudFrontSecretDigest }]) {
        const refused = await send(method, path, headers);
        assert.equal(refused.status, 403, path);
        const text = await refused.text();
        if (method !== 'HEAD') assert.match(text, /"code":"FORBIDDEN","message":"This address is not public/);
        assert.doesNotMatch(text, new RegExp(`${secret}|${cloudFrontSecretDigest}`));
      }
      assert.equal((await send(method, path, { 'x-cloudfront-secret': secret })).status, status, path);
    }
    const used = async (address: string): Promise<number> => {
      const headers = { 'x-cloudfront-secret': secret, 'cloudfront-viewer-address': address };
      const answer = await send('GET', '/nothing', headers);
      return Number(answer.headers.get('ratelimit-limit')) - Number(answer.headers.get('ratelimit-remaining'));
    };
    assert.deepEqual(
      [await used('198.51.100.1:4711'), await used('198.51.100.1:4712'), await used('198.51.100.2:4711')],
      [1, 2, 1],
    );
  });
});
