/** The one way our code becomes a Lambda bundle: for deployment, the local stage and the bench alike. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { endpoints, handlerOf } from '../shared/contract/index.ts';
import { workers } from '../shared/contract/workers.ts';
import { finished } from './finished.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

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
  /** Packages to put others in the place of; the bench measures with and without. */
  readonly alias?: Readonly<Record<string, string>>;
}

/** What of the SDK no function can use; see the files. */
const lambdaOnly = {
  '@aws-sdk/credential-provider-node': join(root, 'shared/platform/credentials.ts'),
  '@aws-sdk/endpoint-cache': join(root, 'shared/platform/endpoint-cache.ts'),
};

/** Where the bundle of an entry is: a folder with nothing in it but index.cjs. */
export const bundleDir = (entry: string, outdir: string): string => join(outdir, entry.replace(/\.ts$/, ''));

/**
 * Bundles each entry, SDK included, into `<outdir>/<entry without .ts>/index.cjs`.
 * CommonJS because it starts a sixth faster than the same code as a module (126 ms against 149, SDK included).
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
    // The SDK's module builds can be shaken; its CommonJS builds cannot.
    mainFields: ['module', 'main'],
    alias: { ...(options.alias ?? lambdaOnly) },
    plugins: [finished],
    sourcemap: options.sourcemap ?? false,
    legalComments: 'none',
    logLevel: 'error',
  });
  return metafile;
};
