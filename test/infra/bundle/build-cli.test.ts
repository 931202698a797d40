/** The command line as one file: it runs on its own, and on Node 20. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { test } from 'vitest';
import { buildCli, cliFile } from '../../../infra/bundle/build-cli.ts';
import { version } from '../../../shared/contract/version.ts';

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
  deepEqual(
    Object.keys(metafile.inputs).filter((path) => /node_modules\/(@aws-sdk|@google-cloud)\//.test(path)),
    [],
  );
});

test('single file: is small enough to be part of the console', () => {
  ok(brotliCompressSync(content).length < 160_000);
});
