/**
 * Bundles the command line into one file that needs nothing but Node 20: a deployment serves it at /console/bms.mjs, so that a pipeline
 * can use it without a checkout.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { buildCached } from './build-cached.ts';
import { precomputeModules } from './precompute-modules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export const cliFile = 'bms.mjs';

/** Packages that are not modules load parts of Node with `require`. */
const banner = `#!/usr/bin/env node
import{createRequire as bmsRequire}from"node:module";const require=bmsRequire(import.meta.url);`;

/** Replaced by a digest of the file, which `bms --version` shows. */
const placeholder = 'build-digest';

/** The folder with the file and what it contains, from the cache if no source has changed. */
const buildDir = (): Promise<string> =>
  buildCached({
    kind: 'cli',
    from: [
      'infra/{cli,archive,mount,pull,bundle,deploy,preflight,smoke,part}/**/*.ts',
      'infra/local/engines/firestore/**/*.ts',
      'infra/config.ts',
      'shared/**/*.ts',
    ],
    make: async (draft) => {
      const { outputFiles, metafile } = await build({
        absWorkingDir: root,
        entryPoints: ['infra/cli/main.ts'],
        outfile: cliFile,
        write: false,
        bundle: true,
        metafile: true,
        minify: true,
        format: 'esm',
        platform: 'node',
        target: 'node20',
        mainFields: ['module', 'main'],
        plugins: [precomputeModules],
        banner: { js: banner },
        define: { buildDigest: JSON.stringify(placeholder) },
        legalComments: 'none',
        logLevel: 'error',
      });
      const text = outputFiles[0]?.text ?? '';
      const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
      writeFileSync(join(draft, cliFile), text.replaceAll(placeholder, digest));
      writeFileSync(join(draft, 'metafile.json'), JSON.stringify(metafile));
    },
  });

/** The path of the built file. */
export const builtCliPath = async (): Promise<string> => join(await buildDir(), cliFile);

export const buildCli = async (): Promise<{ readonly content: Buffer; readonly metafile: Metafile }> => {
  const dir = await buildDir();
  return {
    content: readFileSync(join(dir, cliFile)),
    metafile: JSON.parse(readFileSync(join(dir, 'metafile.json'), 'utf8')) as Metafile,
  };
};
