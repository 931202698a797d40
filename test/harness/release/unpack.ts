import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Artifact, ReleaseContext } from '../../../infra/release/artifact.ts';
import { functionBundles } from '../../../infra/release/function-bundles.ts';
import { version } from '../../../shared/contract/version.ts';

export const releaseContext: ReleaseContext = { version, packageName: (name) => name, functions: functionBundles };

/** The files of an artifact in a new folder. */
export const buildArtifact = async (artifact: Artifact): Promise<string> => {
  const dir = mkdtempSync(join(tmpdir(), `${artifact.name}-`));
  const { files } = await artifact.build(releaseContext);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(dir, path, '..'), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return dir;
};

/** A folder with nothing but the package of an artifact, as `npm install` leaves one without dependencies. */
export const installPackage = async (artifact: Artifact): Promise<string> => {
  const dir = await buildArtifact(artifact);
  const folder = join(dir, 'node_modules', artifact.name);
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', join(dir, `${artifact.name}-${version}.tgz`), '-C', folder, '--strip-components=1']);
  return dir;
};
