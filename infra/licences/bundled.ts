/** The packages bundled with the functions, and their licences. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import * as z from 'zod/mini';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Licensed {
  readonly name: string;
  readonly version: string;
  /** SPDX expression from package.json. */
  readonly licence: string;
  /** The first line of the licence with a copyright holder; empty if there is none. */
  readonly copyright: string;
  /** The text of the licence; empty if the package has none. */
  readonly text: string;
}

const Package = z.object({ name: z.string(), version: z.string(), license: z._default(z.string(), 'none') });

/** Each package once, by name and version. Packages that contribute no bytes are omitted. `ofConsole`: names of the console's packages. */
export const bundledPackages = (
  bundles: readonly Pick<Metafile, 'outputs'>[],
  ofConsole: readonly string[] = [],
): readonly Licensed[] => {
  const files = bundles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])));
  const folders = new Set([
    ...files.flatMap((path) => folderOf(path) ?? []),
    ...ofConsole.map((name) => join('node_modules', name)),
  ]);
  const packages = new Map([...folders].map(licensedIn).map((one) => [`${one.name} ${one.version}`, one]));
  return [...packages.values()].sort((a, b) => (a.name === b.name ? order(a.version, b.version) : order(a.name, b.name)));
};

const order = (a: string, b: string): number => (a < b ? -1 : 1);

/** The package folder of a file; undefined for the service's own files. */
const folderOf = (path: string): string | undefined => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];

const licensedIn = (folder: string): Licensed => {
  const at = join(root, folder);
  const { name, version, license } = Package.parse(JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')));
  const file = readdirSync(at).find((entry) => /^(nro_)?licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : readFileSync(join(at, file), 'utf8');
  return { name, version, licence: license, copyright: copyrightIn(text), text };
};

const copyrightIn = (text: string): string => {
  // The text of Apache-2.0 mentions copyright and contains a placeholder line.
  const held = text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => /^copyright\b.*(\d{4}|\(c\)|holder:)/i.test(line) && !line.includes('['));
  return held ?? '';
};
