/** One thing that a release consists of. Each has a folder of its own, and one row in `artifacts.ts`. */
import type { Metafile } from 'esbuild';
import type { FunctionBundles } from './function-bundles.ts';

/** By path below the output folder. Digests are compared between builds: the content depends on the sources alone. */
export type ReleaseFiles = Readonly<Record<string, string | Uint8Array>>;

export interface ReleaseContext {
  readonly version: string;
  /** The name of a package in a registry: `@scope/client`, or `client` without a scope. */
  readonly packageName: (name: string) => string;
  /** The code of all functions, built once for all artifacts. */
  readonly functions: () => Promise<FunctionBundles>;
}

export interface BuiltArtifact {
  readonly files: ReleaseFiles;
  /** What esbuild has bundled into the files: `sbom.cdx.json` and `licences.txt` name its packages. */
  readonly bundles?: readonly Pick<Metafile, 'outputs'>[];
  /** Packages in the files that esbuild does not know of. */
  readonly furtherPackages?: readonly string[];
}

export interface Artifact {
  readonly name: string;
  build(context: ReleaseContext): Promise<BuiltArtifact>;
}
