import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { version } from '../../shared/contract/version.ts';
import { bundledPackages } from '../licences/bundled.ts';
import type { Artifact, BuiltArtifact, ReleaseContext, ReleaseFiles } from './artifact.ts';
import { licencesText } from './contents/licences-text.ts';
import { sbomOf } from './contents/sbom.ts';
import { functionBundles } from './function-bundles.ts';

interface ReleaseOptions {
  readonly artifacts: readonly Artifact[];
  readonly out: string;
  readonly scope?: string | undefined;
  /** Called with every group of files that was written. */
  readonly onWritten?: (name: string, files: Readonly<Record<string, Buffer>>) => void;
}

export const digestsFile = 'SHA256SUMS';

/** Builds all artifacts into an empty folder, and what describes them: licences, bill of materials, digests. */
export const buildRelease = async ({ artifacts, out, scope, onWritten = () => {} }: ReleaseOptions): Promise<void> => {
  removeFormer(out);
  const written = new Map<string, Buffer>();
  const write = (name: string, files: ReleaseFiles): void => {
    const contents = Object.entries(files).map(([path, content]) => [path, Buffer.from(content)] as const);
    for (const [path, content] of contents) {
      if (written.has(path)) throw new Error(`two artifacts have a file ${path}`);
      written.set(path, content);
      mkdirSync(dirname(join(out, path)), { recursive: true });
      writeFileSync(join(out, path), content);
    }
    onWritten(name, Object.fromEntries(contents));
  };
  const context = contextOf(scope);
  const built: (BuiltArtifact & { readonly name: string })[] = [];
  for (const artifact of artifacts) {
    const one = await artifact.build(context);
    write(artifact.name, one.files);
    built.push({ ...one, name: artifact.name });
  }
  write('contents', contentsOf(built));
  write('digests', { [digestsFile]: digestLines(written) });
};

/** Deletes the files of an earlier release, and nothing else. */
const removeFormer = (out: string): void => {
  const isForeign = existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, digestsFile));
  if (isForeign) throw new Error(`${out} has other files than those of a release; choose another folder`);
  rmSync(out, { recursive: true, force: true });
};

const contextOf = (scope: string | undefined): ReleaseContext => {
  let functions: ReturnType<typeof functionBundles> | undefined;
  return {
    version,
    packageName: (name) => (scope === undefined ? name : `@${scope}/${name}`),
    functions: () => {
      functions ??= functionBundles();
      return functions;
    },
  };
};

const contentsOf = (built: readonly (BuiltArtifact & { readonly name: string })[]): ReleaseFiles => {
  const contents = built.map(({ name, bundles = [], furtherPackages }) => ({
    artifact: name,
    packages: bundledPackages(bundles, furtherPackages),
  }));
  const bundles = built.flatMap((one) => one.bundles ?? []);
  const furtherPackages = built.flatMap((one) => one.furtherPackages ?? []);
  return {
    'licences.txt': licencesText(bundledPackages(bundles, furtherPackages)),
    'sbom.cdx.json': `${JSON.stringify(sbomOf(version, contents), null, 2)}\n`,
  };
};

/** As `sha256sum --check` reads them. */
const digestLines = (files: ReadonlyMap<string, Buffer>): string =>
  [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, content]) => `${createHash('sha256').update(content).digest('hex')}  ${path}\n`)
    .join('');
