/** An exported file holds customer data: it is created new, readable by its owner only, and never through a link. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, test } from 'vitest';
import { samples } from '../../harness/builders/sample-archive.ts';
import { passphrase, sampleBackup, writeObjects } from '../../harness/builders/sample-archive-folder.ts';
import { lines, type Run, runArchive } from '../../harness/env/run-archive-command.ts';

const scratch = mkdtempSync(join(tmpdir(), 'archive-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const folder = join(scratch, 'bkp_a');
writeObjects(folder, (await sampleBackup(undefined, undefined, { documents: samples(20) })).objects);
const exportTo = (file: string, ...args: readonly string[]): Promise<Run> =>
  runArchive(['export', folder, '--out', file, ...args], { ARCHIVE_PASSPHRASE: passphrase });
const modeOf = (file: string): number => lstatSync(file).mode & 0o777;

test('archive export: an existing partial file is kept and reported; --force replaces it', async () => {
  const file = join(scratch, 'one.ndjson');
  writeFileSync(`${file}.partial`, 'of someone else');
  chmodSync(`${file}.partial`, 0o666);
  const { code, err } = await exportTo(file);
  deepEqual([code, err], [2, `${file}.partial: already exists; --force replaces it\n`]);
  equal(readFileSync(`${file}.partial`, 'utf8'), 'of someone else');
  ok(!existsSync(file));
  const forced = await exportTo(file, '--force');
  equal(forced.code, 0, forced.err);
  equal(lines(readFileSync(file, 'utf8')).length, 20);
  equal(modeOf(file), 0o600);
  ok(!existsSync(`${file}.partial`));
});

test('archive export: never follows a link of the file or its partial file', async () => {
  const file = join(scratch, 'two.ndjson');
  const target = join(scratch, 'target');
  writeFileSync(target, 'of someone else');
  for (const link of [`${file}.partial`, file]) symlinkSync(target, link);
  const { code } = await exportTo(file);
  equal(code, 2);
  const forced = await exportTo(file, '--force');
  equal(forced.code, 0, forced.err);
  equal(readFileSync(target, 'utf8'), 'of someone else');
  ok(lstatSync(file).isFile());
  equal(modeOf(file), 0o600);
});

test('archive export: a missing folder gives one line', async () => {
  const file = join(scratch, 'none', 'x.ndjson');
  const { code, err } = await exportTo(file);
  deepEqual([code, err], [2, `${file}.partial: ENOENT\n`]);
});

test('archive export: a killed export leaves nothing behind', async () => {
  const file = join(scratch, 'three.ndjson');
  const silent = createServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const main = fileURLToPath(new URL('../../../infra/cli/main.ts', import.meta.url));
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const child = spawn(process.execPath, [main, 'archive', 'export', 's3://b/bkp_a', '--endpoint', endpoint, '--out', file], {
    env: { PATH: process.env.PATH, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  await once(silent, 'request');
  equal(statSync(`${file}.partial`).mode & 0o777, 0o600);
  child.kill('SIGTERM');
  deepEqual(await ended, [143, null]);
  ok(!existsSync(file) && !existsSync(`${file}.partial`));
  silent.close();
  silent.closeAllConnections();
});
