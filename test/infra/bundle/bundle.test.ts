/** What is uploaded: small, self-contained, and the same every time. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { afterAll, suite, test } from 'vitest';
import { buildCli } from '../../../infra/bundle/build-cli.ts';
import { consolePackages } from '../../../infra/bundle/build-console.ts';
import { bundle, bundleDir, entries, libraryFiles } from '../../../infra/bundle/bundle.ts';
import { bundledPackages } from '../../../infra/licences/bundled.ts';
import { licencesPage, permissive } from '../../../infra/licences/page.ts';
import { functionBundles } from '../../../infra/release/function-bundles.ts';
import { openapiDocument } from '../../../shared/contract/openapi/openapi-document.ts';
import type { Handler } from '../../../shared/http/index.ts';
import { findCountry, unpackCountryTable } from '../../../shared/platform/country/country-table.ts';
import { eventOf } from '../../harness/aws/api-event.ts';
import { wantedFunctions } from '../../harness/law/templates.ts';

const outdir = mkdtempSync(join(tmpdir(), 'bundle-'));
afterAll(() => rmSync(outdir, { recursive: true }));
const { folderOf, bundles } = await functionBundles();
const [made] = bundles as [Metafile];
const file = (entry: string): string => join(folderOf(entry), 'index.cjs');

/** The files that left something in the bundle of an entry. */
const contentsOf = (entry: string): readonly string[] => {
  const outputs = Object.entries(made.outputs).filter(([path]) => path.includes(`/${entry.replace(/\.ts$/, '')}/`));
  if (outputs.length === 0) throw new Error(`${entry} is not bundled`);
  const inputs = outputs.flatMap(([, output]) => Object.entries(output.inputs));
  return inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
};

/** All files of a bundle. A zip is this and some headers. */
const zippedBytes = (entry: string): number =>
  readdirSync(folderOf(entry))
    .map((name) => deflateRawSync(readFileSync(join(folderOf(entry), name))).length)
    .reduce((sum, bytes) => sum + bytes);
/** How large a bundle may become, compressed: 250 KB as Lambda counts them. */
const zipMaxBytes = 250 * 1_024;
/** Functions that open buckets contain the clients of S3 and Cloud Storage. */
const zipWithStoresMaxBytes = 700_000;
/** The files of the console and the command line, which also reads and serves archives and deploys, compressed. */
const zipOfConsoleMaxBytes = 1_200_000;
/** The table of countries, most of it not compressible. */
const countryBytes = 760_000;
const opensBuckets = (entry: string): boolean => contentsOf(entry).includes('shared/destination/store/s3/s3-store.ts');

const looksUpCountries = (entry: string): boolean => contentsOf(entry).includes('shared/platform/country/country-of-address.ts');
const opensSources = (entry: string): boolean => contentsOf(entry).includes('shared/platform/aws/federated-access-token.ts');

for (const entry of entries) {
  suite(entry, () => {
    test('is one file, with libraries beside it if it opens buckets or databases or looks up countries', () =>
      assert.deepEqual(readdirSync(folderOf(entry)), [
        ...(looksUpCountries(entry) ? ['country-library.cjs'] : []),
        ...(opensBuckets(entry) ? ['gcs-library.cjs'] : []),
        ...(opensSources(entry) ? ['google-auth-library.cjs'] : []),
        'index.cjs',
        ...(opensBuckets(entry) ? ['s3-library.cjs'] : []),
      ]));

    const maxOther = opensBuckets(entry) ? zipWithStoresMaxBytes : zipMaxBytes;
    const maxOwn = entry.startsWith('functions/console/') ? zipOfConsoleMaxBytes : maxOther;
    const maxBytes = maxOwn + (looksUpCountries(entry) ? countryBytes : 0);
    test(`is uploaded with at most ${maxBytes} bytes`, () => {
      const bytes = zippedBytes(entry);
      assert.ok(bytes <= maxBytes, `${bytes} bytes`);
    });

    test('has the export that each of its functions names', () => {
      const loaded = createRequire(import.meta.url)(file(entry)) as Record<string, unknown>;
      for (const { handler } of wantedFunctions.filter((wanted) => wanted.entry === entry))
        assert.equal(typeof loaded[handler.replace('index.', '')], 'function', handler);
    });

    test('does not load its libraries before it uses them', () => {
      for (const name of libraryFiles) assert.equal(createRequire(import.meta.url).cache[join(folderOf(entry), name)], undefined);
    });
  });
}

const bundled = (pattern: RegExp): readonly string[] => [
  ...new Set(
    Object.values(made.outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).filter((path) => inputs[path]?.bytesInOutput && pattern.test(path)),
    ),
  ),
];

test('bundles: functions call AWS through the SDK', () => {
  for (const client of ['client-dynamodb', 'lib-dynamodb', 'client-kms', 'client-sqs', 'client-sfn', 'client-scheduler'])
    assert.notDeepEqual(bundled(new RegExp(`node_modules/@aws-sdk/${client}/`)), [], client);
});

test('bundles: contain the packages as their vendors ship them', async () => {
  const inputs = { ...made.inputs, ...(await buildCli()).metafile.inputs };
  // A file of another namespace is one that a plugin has made.
  assert.deepEqual(
    Object.keys(inputs).filter((path) => /^[\w-]{2,}:/.test(path)),
    [],
  );
  const vendors = Object.entries(inputs).filter(([path]) => path.startsWith('node_modules/') && !path.endsWith('.csv'));
  assert.ok(vendors.length > 500);
  for (const [path, { bytes }] of vendors) assert.equal(bytes, statSync(path).size, path);
});

test('bundles: a function contains only the clients it calls', () => {
  const clientsOf = (entry: string): readonly string[] => {
    const names = contentsOf(entry).flatMap((path) => /@aws-sdk\/(client-[\w-]+)\//.exec(path)?.[1] ?? []);
    return [...new Set(names)].sort();
  };
  assert.deepEqual(clientsOf('functions/gateway/fallback.ts'), []);
  assert.deepEqual(clientsOf('functions/event/fan-out.ts'), ['client-sqs']);
  for (const name of ['backups', 'projects', 'restores', 'storage-destinations'])
    assert.ok(!opensBuckets(`functions/api/${name}.ts`) && !opensSources(`functions/api/${name}.ts`), name);
  assert.deepEqual(clientsOf('functions/organization/sweep.ts'), ['client-dynamodb', 'client-sqs']);
});

test('bundles: a function that looks up countries contains their table, and nothing that packs it', async () => {
  assert.ok(looksUpCountries('functions/api/audit-logs.ts'));
  assert.deepEqual(bundled(/pack-country-table/), []);
  const library = join(folderOf('functions/api/audit-logs.ts'), 'country-library.cjs');
  const { packedCountries } = createRequire(import.meta.url)(library) as { packedCountries: () => Buffer };
  const table = unpackCountryTable(packedCountries());
  assert.deepEqual([findCountry(table, '80.187.1.1'), findCountry(table, '2003:e1::1')], ['DE', 'DE']);
});

test('bundles: contain no JSON Schema support of zod', () =>
  assert.deepEqual(bundled(/node_modules\/zod\/v4\/core\/(to-json-schema|json-schema-\w+)\.js/), []));

test('infra/deploy.md: the table of cold starts has the sizes of the bundles', () => {
  const rows = [...readFileSync('infra/deploy.md', 'utf8').matchAll(/^\| `(functions\/\S+\.ts)` \| (\d+) KB \|/gm)];
  assert.ok(rows.length >= 5);
  for (const [, entry = '', said] of rows) {
    const zipped = zippedBytes(entry) / 1_000;
    assert.ok(Math.abs(zipped - Number(said)) <= 0.1 * zipped, `${entry} has ${zipped.toFixed(0)} KB`);
  }
});

test('bundles: the API description is precomputed, and nothing that computes it is bundled', async () => {
  process.env.REQUESTS_PER_MINUTE = '1000';
  const bundled = file('functions/api/description.ts');
  const { openapi } = createRequire(import.meta.url)(bundled) as Record<'openapi', Handler>;
  assert.equal((await openapi(eventOf())).body, JSON.stringify(openapiDocument()));
  const code = readFileSync(bundled, 'utf8');
  const times = (text: string): number => code.split(text).length - 1;
  // What the contract says stands in the text, and nowhere else.
  assert.deepEqual([times('nothing is silently ignored'), times('DynamoDB_20120810')], [1, 0]);
});

test('bundles: bundling again gives the same bytes, so that an unchanged function is not deployed again', async () => {
  const entry = entries[0]!;
  const again = join(outdir, 'again');
  await bundle([entry], again);
  assert.deepEqual(readFileSync(join(bundleDir(entry, again), 'index.cjs')), readFileSync(file(entry)));
});

test('bundles: infra/licences.md (npm run licences) lists every bundled package, and each licence permits it', async () => {
  const packages = bundledPackages([made, (await buildCli()).metafile], await consolePackages());
  assert.ok(packages.some(({ name }) => name === 'zod'));
  for (const { name, licence } of packages) assert.ok(permissive.includes(licence), `${name}: ${licence}`);
  assert.equal(readFileSync(new URL('../../../infra/licences.md', import.meta.url), 'utf8'), licencesPage(packages));
});

test('bundles: an entry file that does not exist is named in the error', () =>
  assert.rejects(bundle(['functions/api/absent.ts'], outdir), /do not exist: functions\/api\/absent\.ts/));
