/** What a release consists of: complete, the same each time, and described by its own files. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { buildCli } from '../../../infra/bundle/build-cli.ts';
import { bundledPackages } from '../../../infra/licences/bundled.ts';
import { bms } from '../../../infra/release/bms/bms.ts';
import { buildRelease, digestsFile } from '../../../infra/release/build-release.ts';
import { changelog } from '../../../infra/release/changelog/changelog.ts';
import { description } from '../../../infra/release/description/description.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import { version } from '../../../shared/contract/version.ts';

const artifacts = [bms, changelog, description];
const temporary = mkdtempSync(join(tmpdir(), 'release-'));
const out = join(temporary, 'dist');
await buildRelease({ artifacts, out });
const read = (path: string): string => readFileSync(join(out, path), 'utf8');

test('release: two builds give the same digests, which sha256sum confirms', async () => {
  const first = read(digestsFile);
  const names = first
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(66));
  deepEqual(
    names,
    readdirSync(out)
      .filter((name) => name !== digestsFile)
      .sort(),
  );
  execFileSync('sha256sum', ['--check', '--strict', digestsFile], { cwd: out });
  await buildRelease({ artifacts, out });
  equal(read(digestsFile), first);
});

test('release: a scope changes the name of a package, not that of its file', async () => {
  const scoped = join(temporary, 'scoped');
  await buildRelease({ artifacts: [bms], out: scoped, scope: 'acme' });
  const manifest = execFileSync('tar', ['-xOzf', join(scoped, `bms-${version}.tgz`), 'package/package.json']);
  const { name, dependencies } = JSON.parse(manifest.toString()) as { name: string; dependencies?: unknown };
  deepEqual([name, dependencies], ['@acme/bms', undefined]);
});

test('release: a folder with other files is not deleted', async () => {
  const foreign = join(temporary, 'foreign');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'thesis.txt'), 'the only copy');
  await rejects(buildRelease({ artifacts, out: foreign }), /has other files than those of a release/);
  equal(readFileSync(join(foreign, 'thesis.txt'), 'utf8'), 'the only copy');
});

test('release: the bill of materials and the licences name exactly the packages in the bundles', async () => {
  const expected = bundledPackages([(await buildCli()).metafile]);
  const { components } = JSON.parse(read('sbom.cdx.json')) as { components: { purl: string; version: string }[] };
  deepEqual(
    components.map(({ purl }) => decodeURIComponent(purl)).sort(),
    expected.map((one) => `pkg:npm/${one.name}@${one.version}`).sort(),
  );
  const licences = read('licences.txt');
  for (const { name, version: of, text } of expected) {
    ok(licences.includes(`${name} ${of} (`), name);
    ok(licences.includes(text.trim()), name);
  }
});

test('release: the Postman collection has every endpoint, with its variables', () => {
  interface Item {
    readonly request: { readonly method: string; readonly url: { readonly raw: string; readonly path: readonly string[] } };
  }
  const { item: folders } = JSON.parse(read('postman.json')) as { item: { item: Item[] }[] };
  const calls = folders.flatMap(({ item }) => item.map(({ request }) => request));
  deepEqual(
    calls.map(({ method, url }) => `${method} /${url.path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`).sort(),
    endpoints.map(({ method, path }) => `${method} ${path}`).sort(),
  );
  for (const { url } of calls) match(url.raw, /^\{\{BASE\}\}\//);
});

test('release: its changelog is that of this version alone', () => {
  match(read('CHANGELOG.md'), new RegExp(`^# ${version}\\n\\n### `));
  ok(!read('CHANGELOG.md').includes('\n## ['));
});
