/** Laws over what is installed: nothing comes from elsewhere, changes by itself, runs while it is installed or binds our customers. */
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
  /** Part of the package it lies in, whose hash is over it, too. */
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

test('there are packages to look at', () => {
  assert.equal(lockfileVersion, 3);
  assert.ok(asked.length > 20 && locked.length > 100);
});

test('every package that we name is asked for by one exact version, and that one is installed', () => {
  for (const [name, version] of asked) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name);
    assert.equal(packages[`node_modules/${name}`]?.version, version, name);
  }
});

test('the contents of every package are pinned by a hash', () =>
  assert.deepEqual(
    failing(({ integrity, inBundle }) => !inBundle && !/^sha512-[\w+/]{86}==$/.test(integrity ?? '')),
    [],
  ));

// Without an address of its own a package comes from the registry that npm is configured with, and the hash says whether it is the same.
test('no package has an address of its own, and none is a folder or a repository', () =>
  assert.deepEqual(
    failing(({ resolved, link, version }) => resolved !== undefined || link === true || !/^\d+\.\d+\.\d+/.test(version ?? '')),
    [],
  ));

/** What runs on the machine of whoever installs us, and what for. */
const scripts: Readonly<Record<string, string>> = {
  'node_modules/esbuild': 'puts the program for this machine in the place of a script that looks for it, and asks its version',
  'node_modules/protobufjs': 'warns of an unusual version scheme in the package.json around it',
};

test('no package runs anything when it is installed, beside those whose scripts are known', () =>
  assert.deepEqual(failing(({ hasInstallScript }) => hasInstallScript === true).toSorted(), Object.keys(scripts).toSorted()));

/** `@scope/name/part` is part of the package `@scope/name`. */
const packageOf = (target: string): string =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');

// `npm audit --omit=dev` asks about these alone.
test('what the functions import is what they depend on, and everything else is of building and testing', () => {
  const imported = sourcesIn('shared', 'functions').flatMap(({ imports }) =>
    imports.flatMap(({ isOurs, target, statement }) =>
      isOurs || target.startsWith('node:') || statement.startsWith('import type') ? [] : [packageOf(target)],
    ),
  );
  assert.deepEqual(Object.keys(wishes.dependencies).toSorted(), [...new Set(imported)].toSorted());
});

/** Beside those that may be bundled: what builds and tests need, whose licences ask for nothing of those who only run it. */
const toolsOnly = ['BlueOak-1.0.0', 'MPL-2.0', 'PSF-2.0', 'Unlicense'];

test('whatever is installed may be used freely', () => {
  const isFree = (licence: string): boolean => [...permissive, ...toolsOnly].includes(licence);
  // Of several that are offered we choose one.
  const choices = (licence = 'none'): readonly string[] => licence.replace(/^\(|\)$/g, '').split(' OR ');
  assert.deepEqual(
    failing(({ license }) => !choices(license).some(isFree)),
    [],
  );
});
