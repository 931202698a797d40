/** What a release consists of: complete, the same each time, and described by its own files. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import * as z from 'zod/mini';
import { buildCli } from '../../../infra/bundle/build-cli.ts';
import { permissive } from '../../../infra/licences/page.ts';
import { action } from '../../../infra/release/action/action.ts';
import { bms } from '../../../infra/release/bms/bms.ts';
import { buildRelease, digestsFile } from '../../../infra/release/build-release.ts';
import { changelog } from '../../../infra/release/changelog/changelog.ts';
import { description } from '../../../infra/release/description/description.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import { version } from '../../../shared/contract/version.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
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
  const readme = execFileSync('tar', ['-xOzf', join(scoped, `bms-${version}.tgz`), 'package/README.md']).toString();
  match(readme, /^npx @acme\/bms login /m);
  ok(!readme.includes('{{'));
});

test('release: images of pipelines are named by digest', async () => {
  const pinned = join(temporary, 'pinned');
  await buildRelease({ artifacts: [action], out: pinned });
  const component = readFileSync(join(pinned, 'action/templates/bms/template.yml'), 'utf8');
  match(component, /default: node:24-bookworm-slim@sha256:[0-9a-f]{64}\n/);
});

test('release: a folder with other files is not deleted', async () => {
  const foreign = join(temporary, 'foreign');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'thesis.txt'), 'the only copy');
  await rejects(buildRelease({ artifacts, out: foreign }), /has other files than those of a release/);
  equal(readFileSync(join(foreign, 'thesis.txt'), 'utf8'), 'the only copy');
});

test('release: the bill of materials and the licences name exactly the packages in the bundles', async () => {
  const inputs = Object.values((await buildCli()).metafile.outputs).flatMap(({ inputs: its }) => Object.entries(its));
  const folders = new Set(
    inputs.flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput === 0 ? [] : (/^(.*node_modules\/(@[\w.-]+\/)?[\w.-]+)\//.exec(path)?.[1] ?? []),
    ),
  );
  const expected = [...folders].map((folder) => {
    const { name, version: of } = JSON.parse(readFileSync(`${root}/${folder}/package.json`, 'utf8'));
    const file = readdirSync(`${root}/${folder}`).find((each) => /licen[cs]e/i.test(each));
    return { name, of, text: file ? readFileSync(`${root}/${folder}/${file}`, 'utf8').trim() : '' };
  });
  ok(expected.some(({ name }) => name === 'commander') && expected.some(({ name }) => name === '@modelcontextprotocol/sdk'));
  const { components } = JSON.parse(read('sbom.cdx.json')) as { components: { purl: string }[] };
  deepEqual(
    components.map(({ purl }) => decodeURIComponent(purl)).sort(),
    [...new Set(expected.map(({ name, of }) => `pkg:npm/${name}@${of}`))].sort(),
  );
  const licences = read('licences.txt');
  for (const { name, of, text } of expected) {
    ok(licences.includes(`${name} ${of} (`), name);
    ok(licences.includes(text), name);
  }
});

// What CycloneDX 1.6 asks of the parts that the document has; another property than these would be refused.
test('release: the bill of materials has the form of CycloneDX 1.6', () => {
  const licence = z.union([
    z.strictObject({ license: z.strictObject({ id: z.enum(permissive) }) }),
    z.strictObject({ expression: z.string().check(z.regex(/^\(?[\w.-]+( (AND|OR|WITH) [\w.-]+)+\)?$/)) }),
  ]);
  const reference = z.string().check(z.minLength(1));
  const component = {
    type: z.enum(['application', 'library']),
    'bom-ref': reference,
    group: z.optional(z.string().check(z.startsWith('@'))),
    name: reference,
    version: z.string().check(z.maxLength(1_024)),
    purl: z.string().check(z.regex(/^pkg:(npm\/(%40[^/]+\/)?|generic\/)[^/@]+@[^@]+$/)),
  };
  const library = { licenses: z.array(licence).check(z.length(1)), copyright: z.optional(z.string()) };
  const bom = z.strictObject({
    $schema: z.literal('http://cyclonedx.org/schema/bom-1.6.schema.json'),
    bomFormat: z.literal('CycloneDX'),
    specVersion: z.literal('1.6'),
    serialNumber: z.string().check(z.regex(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)),
    version: z.int().check(z.minimum(1)),
    metadata: z.strictObject({ component: z.strictObject(component) }),
    components: z.array(
      z.strictObject({ ...component, ...library, properties: z.array(z.strictObject({ name: z.string(), value: z.string() })) }),
    ),
    dependencies: z.array(z.strictObject({ ref: reference, dependsOn: z.array(reference) })),
  });
  const { metadata, components, dependencies } = bom.parse(JSON.parse(read('sbom.cdx.json')));
  const references = [metadata.component, ...components].map((one) => one['bom-ref']);
  equal(new Set(references).size, references.length);
  deepEqual(dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).sort(), references.sort());
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
