/** The command line as one file: it runs on its own, and on Node 20. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { test } from 'vitest';
import { buildCli, cliFile } from '../../../infra/bundle/build-cli.ts';
import { version } from '../../../shared/contract/version.ts';
import { installedNodes } from '../../harness/release/installed-nodes.ts';

const { content, metafile } = await buildCli();
const dir = mkdtempSync(join(tmpdir(), 'cli-'));
writeFileSync(join(dir, cliFile), content);

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** In a folder without packages, and without a stored sign-in. */
const run = (...args: readonly string[]): Promise<Run> =>
  new Promise((resolve) => {
    const options = { cwd: dir, env: { PATH: process.env.PATH, HOME: dir } };
    execFile(process.execPath, [cliFile, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

test('single file: shows the version of the service and a digest of the build', async () => {
  const { code, stdout } = await run('--version');
  equal(code, 0);
  const [, digest = ''] = /\((\w+)\)/.exec(stdout) ?? [];
  equal(stdout, `${version} (${digest})\n`);
  const unmarked = content.toString().replaceAll(digest, 'build-digest');
  equal(digest, createHash('sha256').update(unmarked).digest('hex').slice(0, 12));
});

test('single file: runs without the repository and its packages', async () => {
  const help = await run('--help');
  equal(help.code, 0, help.stderr);
  match(help.stdout, /^Usage: bms /);
  const refused = await run('whoami', '--url', 'https://backups.example.com');
  deepEqual([refused.code, refused.stdout], [3, '']);
  match(refused.stderr, /not signed in/);
});

test('single file: imports nothing but Node, and uses nothing that Node 20 lacks', () => {
  const [output] = Object.values(metafile.outputs);
  for (const { path, external } of output?.imports ?? []) ok(external && /^node:|^[a-z_/]+$/.test(path), path);
  const missing = /\bArray\.fromAsync\b|\b(Map|Object)\.groupBy\b|\.withResolvers\b|import\.meta\.main\b|\bRegExp\.escape\b/;
  equal(missing.exec(content.toString())?.[0], undefined);
});

test('single file: reads a backup without the service, on the day when that is gone, the same with every Node', async () => {
  const folder = fileURLToPath(new URL('../../fixture/archive/v2', import.meta.url));
  const listed = await run('archive', 'ls', folder);
  equal(listed.code, 0, listed.stderr);
  match(listed.stdout, /bkp_full {2}complete {2}key: passphrase/);
  const { passphrase } = JSON.parse(readFileSync(join(folder, 'bkp_full', 'expected.json'), 'utf8')) as { passphrase: string };
  const env = { PATH: process.env.PATH, HOME: dir, ARCHIVE_PASSPHRASE: passphrase };
  const read = (node: string, ...args: readonly string[]): string =>
    execFileSync(node, [cliFile, 'archive', ...args], {
      cwd: dir,
      env,
      encoding: 'utf8',
      maxBuffer: 2 ** 27,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const exports = installedNodes().map((node) => {
    match(read(node, 'verify', join(folder, 'bkp_full'), '--full'), /^ok: bkp_full/);
    return read(node, 'export', join(folder, 'bkp_full'));
  });
  equal(new Set(exports).size, 1);
});

test('single file: serves a backup as a Firestore, the same with every Node', async () => {
  const folder = fileURLToPath(new URL('../../fixture/archive/v2/bkp_full', import.meta.url));
  const { passphrase } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as { passphrase: string };
  const env = { PATH: process.env.PATH, HOME: dir, ARCHIVE_PASSPHRASE: passphrase };
  const answers = new Set<string>();
  for (const node of installedNodes()) {
    const child = spawn(node, [cliFile, 'archive', 'open', folder, '--port', '0', '--quiet'], { cwd: dir, env });
    const ended = once(child, 'close');
    const [address] = (await once(child.stdout, 'data')) as [Buffer];
    const root = `http://${address.toString().trim()}/v1/projects/p/databases/(default)/documents`;
    answers.add(await (await fetch(`${root}/types/all`)).text());
    child.kill('SIGINT');
    deepEqual(await ended, [0, null]);
  }
  equal(answers.size, 1);
  match([...answers].join(), /"doubleValue": -0\n/);
});

test('single file: is small enough to be served by the console', () => {
  // Of these, 670 KB and 130 KB are what `bms deploy` asks of AWS: eight services of the preflight, buckets, STS; 330 KB and 70 KB the
  // embedded Firestore with its protos.
  ok(content.length < 3_125_000 && brotliCompressSync(content).length < 747_000);
});
