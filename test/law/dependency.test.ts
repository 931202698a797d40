/** Laws about installed packages: exact versions, one registry, no install scripts, and permissive licences. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { permissive } from '../../infra/licences/page.ts';
import { root, sourcesIn } from '../harness/law/source-files.ts';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  /** Part of the package that contains it, and covered by its hash. */
  readonly inBundle?: boolean;
  readonly link?: boolean;
}
type Wishes = Readonly<Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Readonly<Record<string, string>>>>;

const read = <T>(file: string): T => JSON.parse(readFileSync(join(root, file), 'utf8')) as T;
const wishes = read<Wishes>('package.json');
const asked = Object.entries({ ...wishes.dependencies, ...wishes.devDependencies, ...wishes.optionalDependencies });
const { lockfileVersion, packages } = read<{ lockfileVersion: number; packages: Readonly<Record<string, Locked>> }>(
  'package-lock.json',
);
const locked = Object.entries(packages).filter(([folder]) => folder !== '');
const failing = (isWrong: (one: Locked, folder: string) => boolean): readonly string[] =>
  locked.filter(([folder, one]) => isWrong(one, folder)).map(([folder]) => folder);

test('dependencies: there are packages to check', () => {
  assert.equal(lockfileVersion, 3);
  assert.ok(asked.length > 20 && locked.length > 100);
});

test('dependencies: every direct one has an exact version, which is installed', () => {
  for (const [name, version] of asked) {
    // DuckDB numbers revisions of its packages: 1.5.5-r.5.
    assert.match(version, /^\d+\.\d+\.\d+(-r\.\d+)?$/, name);
    assert.equal(packages[`node_modules/${name}`]?.version, version, name);
  }
});

test('dependencies: the contents of every package are pinned by a hash', () =>
  assert.deepEqual(
    failing(({ integrity, inBundle }) => !inBundle && !/^sha512-[\w+/]{86}==$/.test(integrity ?? '')),
    [],
  ));

// Without its own address a package comes from npm's configured registry, and the hash verifies it.
test('dependencies: no package has its own address, and none is a folder or a repository', () =>
  assert.deepEqual(
    failing(({ resolved, link, version }) => resolved !== undefined || link === true || !/^\d+\.\d+\.\d+/.test(version ?? '')),
    [],
  ));

/** The known install scripts and their purposes. */
const scripts: Readonly<Record<string, string>> = {
  'node_modules/@firebase/util': 'writes the defaults of an app that Firebase hosts into the package; is not run',
  'node_modules/esbuild': 'replaces a launcher script with the binary of this platform and checks its version',
  'node_modules/protobufjs': 'warns of an unusual version scheme in the surrounding package.json',
};

test('dependencies: only packages with a known script run one on installation', () =>
  assert.deepEqual(failing(({ hasInstallScript }) => hasInstallScript === true).toSorted(), Object.keys(scripts).toSorted()));

/** `@scope/name/part` is part of the package `@scope/name`. */
const packageOf = (target: string): string =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');

// `npm audit --omit=dev` checks exactly these. The packages of the console and the table of countries are built into files.
test('dependencies: production dependencies are what functions import; all others are for building and testing', () => {
  const loaded = sourcesIn('shared', 'functions').filter(({ path }) => !path.startsWith('functions/console/app/'));
  const imported = loaded.flatMap(({ imports }) =>
    imports.flatMap(({ isOurs, target, statement }) =>
      isOurs || target.startsWith('node:') || statement.startsWith('import type') ? [] : [packageOf(target)],
    ),
  );
  assert.deepEqual(Object.keys(wishes.dependencies).toSorted(), [...new Set(imported)].toSorted());
});

/** Allowed for build and test tools in addition: these licences have no obligations for users of the tools. */
const toolsOnly = ['BlueOak-1.0.0', 'MPL-2.0', 'PSF-2.0', 'Python-2.0', 'Unlicense'];

test('dependencies: every licence is permissive', () => {
  const isFree = (licence: string): boolean => [...permissive, ...toolsOnly].includes(licence);
  // One of several offered licences suffices.
  const choices = (licence = 'none'): readonly string[] => licence.replace(/^\(|\)$/g, '').split(' OR ');
  assert.deepEqual(
    failing(({ license }) => !choices(license).some(isFree)),
    [],
  );
});
