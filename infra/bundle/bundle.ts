/**
 * Bundles functions for Lambda: deployment, local stage and benchmarks use the same bundles. Packages are bundled as their vendors ship
 * them: only esbuild's own options make the bundles small.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, type BuildResult, build, type Metafile, type Plugin } from 'esbuild';
import { endpoints, entryOf } from '../../shared/contract/index.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { precompute } from './precompute.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The entry file of every function: one per group of endpoints, one per worker. */
export const entries: readonly string[] = [
  ...new Set([...endpoints.map(entryOf), ...Object.values(workers).map((worker) => worker.entry)]),
];

interface BundleOptions {
  /** Writes index.cjs.map beside each bundle. Off by default, because it doubles the upload. */
  readonly sourcemap?: boolean;
  /** Packages or own files, by path from the root, and the files that replace them. Benchmarks use it to measure without a network. */
  readonly replacements?: Readonly<Record<string, string>>;
  /** Libraries that calls with the same map build once: all of them, beside the entries of the first call. */
  readonly builtLibraries?: BuiltLibraries;
}

export type BuiltLibraries = Map<string, Promise<BuildResult<{ metafile: true; write: false }>>>;

/** The folder of an entry's bundle. It contains index.cjs and the library files that it may load. */
export const bundleDir = (entry: string, outdir: string): string => join(outdir, entry.replace(/\.ts$/, ''));

/**
 * What not every call needs, each bundled into a file of its own that shares no code with index.cjs: the clients of buckets (131 KB for S3,
 * 172 for Cloud Storage, zipped), loaded with the first bucket of their kind; Google's client for access without a key (51 KB), loaded with
 * the first token of such a project; the table of countries (743 KB), loaded with the first address. A module that is imported on first use
 * within index.cjs would keep all of what it imports: 40 KB more in every bundle.
 */
const libraries: Readonly<Record<string, string>> = {
  's3-library.cjs': 'shared/destination/store/s3/s3-library.ts',
  'gcs-library.cjs': 'shared/destination/store/gcs/gcs-library.ts',
  'google-auth-library.cjs': 'shared/platform/aws/google-auth-library.ts',
  'country-library.cjs': 'shared/platform/country/country-library.ts',
};
export const libraryFiles: readonly string[] = Object.keys(libraries);

/**
 * Bundles each entry with its dependencies into `<outdir>/<entry without .ts>/index.cjs`, and returns what each bundle contains.
 * CommonJS starts a sixth faster than the same code as a module (126 ms against 149).
 */
export const bundle = async (wanted: readonly string[], outdir: string, options: BundleOptions = {}): Promise<Metafile> => {
  const missing = wanted.filter((entry) => !existsSync(join(root, entry)));
  if (missing.length > 0) throw new Error(`The contract names handlers that do not exist: ${missing.join(', ')}`);
  const common: BuildOptions & { readonly metafile: true } = {
    absWorkingDir: root,
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    metafile: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    // esbuild tree-shakes modules, but not CommonJS.
    mainFields: ['module', 'main'],
    // The SDK imports Node's http dynamically. As a require it does not load Node's fetch with it, 50 ms of a cold start.
    supported: { 'dynamic-import': false },
    plugins: [precompute, externalLibrary, ...(options.replacements ? [replaceModules(options.replacements)] : [])],
    sourcemap: options.sourcemap ?? false,
    legalComments: 'none',
    logLevel: 'error',
  };
  const entryPoints = wanted.map((entry) => ({ in: entry, out: join(entry.replace(/\.ts$/, ''), 'index') }));
  const { builtLibraries = new Map() } = options;
  if (options.builtLibraries)
    for (const libraryFile of libraryFiles) buildLibrary({ libraryFile, common, builtLibraries }).catch(() => undefined);
  const { metafile } = await build({ ...common, entryPoints });
  await Promise.all(libraryFiles.map((libraryFile) => addLibrary(metafile, { libraryFile, common, builtLibraries })));
  return metafile;
};

interface LibraryBuild {
  readonly libraryFile: string;
  readonly common: BuildOptions;
  readonly builtLibraries: BuiltLibraries;
}

const buildLibrary = async ({ libraryFile, common, builtLibraries }: LibraryBuild) => {
  const known = builtLibraries.get(libraryFile);
  if (known) return known;
  const entryPoints = [libraries[libraryFile] ?? ''];
  const building = build({ ...common, metafile: true, entryPoints, write: false });
  builtLibraries.set(libraryFile, building);
  building.catch(() => builtLibraries.delete(libraryFile));
  return building;
};

/** Writes a library beside each bundle that imports it. */
const addLibrary = async (metafile: Metafile, library: LibraryBuild): Promise<void> => {
  const { libraryFile } = library;
  const outputs = Object.entries(metafile.outputs);
  const users = outputs.filter(([, { imports }]) => imports.some(({ path }) => path === `./${libraryFile}`));
  if (users.length === 0) return;
  const built = await buildLibrary(library);
  const [contents] = Object.values(built.metafile.outputs).filter(({ entryPoint }) => entryPoint === libraries[libraryFile]);
  if (!contents) throw new Error(`${libraryFile} was not bundled`);
  for (const [path] of users) {
    const dir = dirname(path);
    for (const file of built.outputFiles) await writeFile(join(root, dir, basename(file.path)), file.contents);
    metafile.outputs[join(dir, libraryFile)] = contents;
  }
};

/** Leaves the import of a library in index.cjs as a `require` of the second file. */
const externalLibrary: Plugin = {
  name: 'external-library',
  setup(bundling) {
    bundling.onResolve({ filter: /[\\/](s3|gcs|google-auth|country)-library\.ts$/ }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: `./${basename(path, '.ts')}.cjs`, external: true },
    );
  },
};

const replaceModules = (replacements: Readonly<Record<string, string>>): Plugin => ({
  name: 'replace-modules',
  setup(bundling) {
    bundling.onResolve({ filter: /./ }, ({ path, resolveDir }) => {
      const own = path.startsWith('.') ? relative(root, join(resolveDir, path)) : path;
      const replacement = replacements[own];
      return replacement === undefined ? undefined : { path: join(root, replacement) };
    });
  },
});
