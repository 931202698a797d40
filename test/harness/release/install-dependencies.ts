import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../law/source-files.ts';

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}
const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/**
 * Installs what a manifest declares, and what that needs, and nothing else: as `npm install` does, but from the packages of the repository
 * instead of a registry. A version other than the declared one throws. The files are copies.
 */
export const installDependencies = (manifest: Manifest, dir: string): void => {
  for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
    const { version: installed } = manifestOf(join(root, 'node_modules', name));
    if (installed !== version) throw new Error(`${name}: ${version} is declared, ${installed} is installed`);
  }
  const wanted = new Set<string>();
  const add = (names: readonly string[], from: string): void => {
    for (const name of names) {
      const folder = find(name, from);
      if (wanted.has(folder)) continue;
      wanted.add(folder);
      add(Object.keys(manifestOf(join(root, folder)).dependencies ?? {}), folder);
    }
  };
  add(Object.keys(manifest.dependencies ?? {}), '');
  // A nested folder comes with the one that contains it.
  const outer = [...wanted].filter((folder) => folder.lastIndexOf('node_modules/') === 0);
  for (const folder of outer) {
    mkdirSync(dirname(join(dir, folder)), { recursive: true });
    execFileSync('cp', ['-a', join(root, folder), join(dir, folder)]);
  }
};

/** Where a package in `from` finds another, as Node looks for it. */
const find = (name: string, from: string): string => {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(join(root, path))) return path;
    if (folder === '') throw new Error(`${name} is not installed`);
  }
};
