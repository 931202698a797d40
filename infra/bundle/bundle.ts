/** The one way our code becomes a Lambda bundle: for deployment, the local stage and the bench alike. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { endpoints, handlerOf } from '../../shared/contract/index.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { leanGoogle } from './lean-google.ts';
import { leanSdk } from './lean-sdk.ts';
import { leanZod } from './lean-zod.ts';
import { finished } from './precompute.ts';

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

/** Where the bundle of an entry is: a folder with nothing in it but index.cjs. */
export const bundleDir = (entry: string, outdir: string): string => join(outdir, entry.replace(/\.ts$/, ''));

/**
 * Bundles each entry with all it needs into `<outdir>/<entry without .ts>/index.cjs`.
 * CommonJS because it starts a sixth faster than the same code as a module (126 ms against 149).
 * Answers what each bundle was made of.
 */
export const bundle = async (wanted: readonly string[], outdir: string, options: BundleOptions = {}): Promise<Metafile> => {
  const missing = wanted.filter((entry) => !existsSync(join(root, entry)));
  if (missing.length > 0) throw new Error(`The contract names handlers that do not exist: ${missing.join(', ')}`);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: wanted.map((entry) => ({ in: entry, out: join(entry.replace(/\.ts$/, ''), 'index') })),
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
    plugins: [leanSdk, leanGoogle, leanZod, finished, placedInstead(options.instead ?? {})],
    sourcemap: options.sourcemap ?? false,
    legalComments: 'none',
    logLevel: 'error',
  });
  return metafile;
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
