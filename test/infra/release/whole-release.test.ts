/** The whole release, built twice: in this checkout, with what other tests have left in its cache, and in a fresh one of another name. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, test } from 'vitest';
import { digestsFile } from '../../../infra/release/build-release.ts';
import { version } from '../../../shared/contract/version.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** On the disk of the packages, so that they can be linked; no repository lists what is in it. */
const home = join(root, '.local');
mkdirSync(home, { recursive: true });
const temporary = mkdtempSync(join(home, 'whole-release-'));
const [dist, other] = [join(temporary, 'dist'), join(temporary, 'another-checkout')];
/** Half a minute on two idle cores. */
const buildsTimeoutMs = 3_600_000;

/** The sources as they are, with the installed packages and without what was built from them. */
const makeCheckout = (folder: string): void => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
  for (const file of files.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  const modules = readdirSync(join(root, 'node_modules')).filter((name) => name !== '.cache');
  mkdirSync(join(folder, 'node_modules'));
  const link = (flag: string) =>
    execFileSync('cp', [flag, ...modules.map((name) => join(root, 'node_modules', name)), join(folder, 'node_modules')], {
      stdio: 'pipe',
    });
  try {
    link('-al');
  } catch {
    // Another file system has no hard links to this one.
    link('-a');
  }
};

const build = async (folder: string, out: string): Promise<void> => {
  const { VITEST: _, NODE_ENV: _env, TEST_RUN_DIR: _run, ...env } = process.env;
  await promisify(execFile)(process.execPath, ['test/harness/release/build-whole.ts', out], { cwd: folder, env });
};

beforeAll(async () => {
  makeCheckout(other);
  await build(root, dist);
  await build(other, join(other, 'dist'));
}, buildsTimeoutMs);
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const read = (path: string): Buffer => readFileSync(join(dist, path));
const inArchive = (archive: string, path: string): string =>
  execFileSync('tar', ['-xOzf', join(dist, archive), path], { encoding: 'utf8', maxBuffer: 100e6 });

test('whole release: two checkouts give the same digests', () => {
  const lines = (folder: string) => readFileSync(join(folder, digestsFile), 'utf8').split('\n');
  deepEqual(lines(join(other, 'dist')), lines(dist));
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', digestsFile], { cwd: dist });
});

test('whole release: it consists of what infra/release.md lists', () => {
  const paths = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dist.length + 1));
  const isAsset = (path: string): boolean => path.startsWith('template/assets/');
  deepEqual(
    paths.filter((path) => !isAsset(path)).sort(),
    [
      'CHANGELOG.md',
      'Dockerfile',
      digestsFile,
      'action/README.md',
      'action/action.yml',
      'action/templates/bms/template.yml',
      `bms-${version}.tgz`,
      'bms.mjs',
      `client-${version}.tgz`,
      `construct-${version}.tgz`,
      'licences.txt',
      `local-${version}.tgz`,
      'openapi.json',
      'postman.json',
      'sbom.cdx.json',
      'template/README.md',
      'template/publish.mjs',
      'template/template.json',
    ].sort(),
  );
  ok(paths.filter(isAsset).length > 50);
  for (const path of paths.filter((each) => /^template\/.*\.json$/.test(each))) ok(read(path).length <= 1_000_000, path);
});

test('whole release: the base of the image is named by digest', () =>
  match(read('Dockerfile').toString(), /^ARG NODE_IMAGE=\S+@sha256:[0-9a-f]{64}$/m));

interface Component {
  readonly purl: string;
  readonly name: string;
  readonly group?: string;
  readonly version: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}
const components = (): readonly Component[] => JSON.parse(read('sbom.cdx.json').toString()).components;
const fullName = ({ group, name }: Component): string => (group ? `${group}/${name}` : name);

// The function of the console serves bms.mjs, so every artifact with the functions contains its packages.
test('whole release: the bill of materials names for each package the artifacts that contain it', () => {
  const artifactsOf = (name: string) =>
    components()
      .filter((each) => fullName(each) === name)
      .flatMap(({ properties }) => properties.map(({ value }) => value))
      .sort();
  for (const name of ['commander', '@modelcontextprotocol/sdk'])
    deepEqual(artifactsOf(name), ['bms', 'construct', 'local', 'template'], name);
  for (const name of ['react', 'uplot', '@middy/core', '@ip-location-db/geo-whois-asn-country'])
    deepEqual(artifactsOf(name), ['construct', 'local', 'template'], name);
  deepEqual(artifactsOf('oidc-provider'), ['local']);
});

test('whole release: every package is one that is installed, of that version, and is in the licences of its artifact', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  const locked = new Set(
    Object.entries(packages).map(([folder, { version: of }]) => `${folder.replace(/^.*node_modules\//, '')} ${of}`),
  );
  const texts: Readonly<Record<string, string>> = {
    bms: inArchive(`bms-${version}.tgz`, 'package/licences.txt'),
    construct: inArchive(`construct-${version}.tgz`, 'package/licences.txt'),
    local: inArchive(`local-${version}.tgz`, 'package/licences.txt'),
    template: read('licences.txt').toString(),
  };
  for (const one of components()) {
    ok(locked.has(`${fullName(one)} ${one.version}`), one.purl);
    for (const { value } of one.properties)
      ok(texts[value]?.includes(`${fullName(one)} ${one.version} (`), `${one.purl} ${value}`);
  }
  equal(new Set(components().map(({ purl }) => purl)).size, components().length);
});
