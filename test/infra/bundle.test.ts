/** What is uploaded: small, self-contained, and the same every time. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, suite, test } from 'vitest';
import { bundle, bundleDir, entries } from '../../infra/bundle.ts';
import { bundledPackages } from '../../infra/licences/bundled.ts';
import { licencesPage, permissive } from '../../infra/licences/page.ts';
import { describe } from '../../shared/contract/openapi.ts';
import { docsPage } from '../../shared/docs/page.ts';
import type { Handler } from '../../shared/http/index.ts';
import { eventOf } from '../support/event.ts';
import { wantedFunctions } from '../support/template.ts';

const outdir = mkdtempSync(join(tmpdir(), 'bundle-'));
afterAll(() => rmSync(outdir, { recursive: true }));
const made = await bundle(entries, outdir);
const file = (entry: string): string => join(bundleDir(entry, outdir), 'index.cjs');

/** performance.md section 4; a zip is this and some headers. It holds for workers, too. */
const zipMaxBytes = 150_000;

for (const entry of entries) {
  suite(entry, () => {
    test('is one file', () => assert.deepEqual(readdirSync(bundleDir(entry, outdir)), ['index.cjs']));

    test(`is uploaded with at most ${zipMaxBytes} bytes`, () => {
      const bytes = deflateRawSync(readFileSync(file(entry))).length;
      assert.ok(bytes <= zipMaxBytes, `${bytes} bytes`);
    });

    test('has the export that each of its functions names', () => {
      const loaded = createRequire(import.meta.url)(file(entry)) as Record<string, unknown>;
      for (const { handler } of wantedFunctions.filter((wanted) => wanted.entry === entry))
        assert.equal(typeof loaded[handler.replace('index.', '')], 'function', handler);
    });
  });
}

test('no function carries the SDK of AWS, whose loading would take longer than all else', () => {
  const carried = Object.values(made.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path]?.bytesInOutput && /node_modules\/@(aws-sdk|smithy)\//.test(path)),
  );
  assert.deepEqual([...new Set(carried)], []);
});

test('the table of the README says how large bundles are', () => {
  const rows = [...readFileSync('README.md', 'utf8').matchAll(/^\| `(functions\/\S+\.ts)` \| (\d+) KB \|/gm)];
  assert.ok(rows.length >= 5);
  for (const [, entry = '', said] of rows) {
    const zipped = deflateRawSync(readFileSync(file(entry))).length / 1_000;
    assert.ok(Math.abs(zipped - Number(said)) <= 0.1 * zipped, `${entry} has ${zipped.toFixed(0)} KB`);
  }
});

test('the description is carried as it is served, and nothing of what it is made from', async () => {
  process.env.REQUESTS_PER_MINUTE = '1000';
  const bundled = file('functions/api/description.ts');
  const { openapi, docs } = createRequire(import.meta.url)(bundled) as Record<'openapi' | 'docs', Handler>;
  assert.equal((await openapi(eventOf())).body, JSON.stringify(describe()));
  assert.equal((await docs(eventOf())).body, docsPage(describe()).html);
  const code = readFileSync(bundled, 'utf8');
  const times = (text: string): number => code.split(text).length - 1;
  // What the page says stands in the page, what the contract says in both texts, and neither anywhere else.
  assert.deepEqual([times('Skip to the text'), times('nothing is silently ignored'), times('DynamoDB_20120810')], [1, 2, 0]);
});

test('bundling again gives the same bytes, so that an unchanged function is not deployed', async () => {
  const entry = entries[0]!;
  const again = join(outdir, 'again');
  await bundle([entry], again);
  assert.deepEqual(readFileSync(join(bundleDir(entry, again), 'index.cjs')), readFileSync(file(entry)));
});

test('whose code is bundled stands in infra/licences.md (npm run licences), and its licences permit it', () => {
  const packages = bundledPackages(made);
  assert.ok(packages.some(({ name }) => name === 'zod'));
  for (const { name, licence } of packages) assert.ok(permissive.includes(licence), `${name}: ${licence}`);
  assert.equal(readFileSync(new URL('../../infra/licences.md', import.meta.url), 'utf8'), licencesPage(packages));
});

test('a handler that does not exist is named', () =>
  assert.rejects(bundle(['functions/api/absent.ts'], outdir), /do not exist: functions\/api\/absent\.ts/));
