/** The one way our code becomes a Lambda bundle: for deployment, the local stage and the bench alike. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { endpoints, handlerOf } from '../../shared/contract/index.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { leanGoogle } from './lean-google.ts';
import { leanSdk } from './lean-sdk.ts';
import { finished } from './precompute.ts';
import { undescribed } from './undescribed.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Every file a function starts from: one per group of the contract, one per worker. */
export const entries: readonly string[] = [
  ...new Set([
    ...endpoints.map((endpoint) => `functions/api/${handlerOf(endpoint).file}.ts`),
    ...Object.values(workers).map((worker) => worker.entry),
  ]),
];

export interface BundleOptions {
  /** Writes index.cjs.map beside each bundle; it would double what is uploaded. */
  readonly sourcemap?: boolean;
  /** Packages, or files of ours from the root, and the files to put in their place: the bench measures without a network. */
  readonly instead?: Readonly<Record<string, string>>;
}

/** Where the bundle of an entry is: a folder with index.cjs and, if it opens buckets, the library file, and nothing else. */
export const bundleDir = (entry: string, outdir: string): string => join(outdir, entry.replace(/\.ts$/, ''));

/**
 * Bundled into a file of its own beside index.cjs: a sixth of a function that opens buckets, read only for a bucket of Cloud Storage.
 * It shares no code with the rest. Loading code that does would need modules, which start slower.
 */
const library = 'shared/destination/store/gcs/gcs-library.ts';
export const libraryFile = 'gcs-library.cjs';

/**
 * Bundles each entry with all it needs into `<outdir>/<entry without .ts>/index.cjs`.
 * CommonJS because it starts a sixth faster than the same code as a module (126 ms against 149).
 * Answers what each bundle was made of.
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
    // Modules can be shaken; CommonJS cannot.
    mainFields: ['module', 'main'],
    // The SDK imports Node's http dynamically. As a require it does not load Node's fetch with it, 50 ms of a cold start.
    supported: { 'dynamic-import': false },
    plugins: [leanSdk, leanGoogle, finished, undescribed, libraryApart, placedInstead(options.instead ?? {})],
    sourcemap: options.sourcemap ?? false,
    legalComments: 'none',
    logLevel: 'error',
  };
  const entryPoints = wanted.map((entry) => ({ in: entry, out: join(entry.replace(/\.ts$/, ''), 'index') }));
  const { metafile } = await build({ ...common, entryPoints });
  const outputs = Object.entries(metafile.outputs);
  const users = outputs.filter(([, { imports }]) => imports.some(({ path }) => path === `./${libraryFile}`));
  if (users.length === 0) return metafile;
  const made = await build({ ...common, entryPoints: [library], write: false });
  const [contents] = Object.values(made.metafile.outputs).filter(({ entryPoint }) => entryPoint === library);
  if (!contents) throw new Error(`${library} was not bundled`);
  for (const [path] of users) {
    const dir = dirname(path);
    for (const file of made.outputFiles) await writeFile(join(root, dir, basename(file.path)), file.contents);
    metafile.outputs[join(dir, libraryFile)] = contents;
  }
  return metafile;
};

const libraryApart: Plugin = {
  name: 'library-apart',
  setup(bundling) {
    bundling.onResolve({ filter: /[\\/]gcs-library\.ts$/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: `./${libraryFile}`, external: true },
    );
  },
};

const placedInstead = (instead: Readonly<Record<string, string>>): Plugin => ({
  name: 'placed-instead',
  setup(bundling) {
    bundling.onResolve({ filter: /./ }, ({ path, resolveDir }) => {
      const own = path.startsWith('.') ? relative(root, join(resolveDir, path)) : path;
      const other = instead[own];
      return other === undefined ? undefined : { path: join(root, other) };
    });
  },
});
