import { readFileSync } from 'node:fs';
import { bundledPackages } from '../../licences/bundled.ts';
import type { BuiltArtifact, ReleaseContext } from '../artifact.ts';
import { licencesText } from '../contents/licences-text.ts';
import { gzippedTar, type TarEntry } from './tar.ts';

/** `bundles` and `furtherPackages`: what the files contain of others, whose licences are added. */
interface PackageParts extends Pick<BuiltArtifact, 'bundles' | 'furtherPackages'> {
  /** `client` becomes client-<version>.tgz. */
  readonly name: string;
  readonly description: string;
  /** Further fields of package.json, such as `bin` and `exports`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** By path in the package. */
  readonly files: Readonly<Record<string, TarEntry>>;
}

const { license, engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
};

/** What the package is called in this release, in its README. */
const filled = (text: string, values: Readonly<Record<'name' | 'version', string>>): string =>
  text.replaceAll(/\{\{(name|version)\}\}/g, (_, key: 'name' | 'version') => values[key]);

/** A package as `npm pack` would make it, by the name of its file. It runs no script when it is installed. */
export const packPackage = (
  { version, packageName }: ReleaseContext,
  { name, description, fields, files, bundles = [], furtherPackages }: PackageParts,
): Readonly<Record<string, Buffer>> => {
  const manifest = { name: packageName(name), version, description, license, engines, ...fields };
  const packages = bundledPackages(bundles, furtherPackages);
  const readme = files['README.md'];
  const entries = {
    ...files,
    ...(readme && { 'README.md': { content: filled(String(readme.content), { version, name: manifest.name }) } }),
    'package.json': { content: `${JSON.stringify(manifest, null, 2)}\n` },
    ...(packages.length > 0 && { 'licences.txt': { content: licencesText(packages) } }),
  };
  return {
    [`${name}-${version}.tgz`]: gzippedTar(
      Object.fromEntries(Object.entries(entries).map(([path, entry]) => [`package/${path}`, entry])),
    ),
  };
};
