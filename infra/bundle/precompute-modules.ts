import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

/**
 * Runs the functions of every `precomputed.ts` and `precomputed-*.ts` while bundling and stores their results, which must be JSON, in place of the code.
 * The bundle then contains nothing of what computes them.
 */
export const precomputeModules: Plugin = {
  name: 'precompute-modules',
  setup(build) {
    build.onLoad({ filter: /[\\/](?:shared|cli|firestore)[\\/](?:.+[\\/])?precomputed(-\w+)?\.ts$/ }, async ({ path }) => {
      const functions = (await import(pathToFileURL(path).href)) as Readonly<Record<string, () => unknown>>;
      const constants = Object.entries(functions).map(
        ([name, compute]) => `export const ${name} = () => (${JSON.stringify(compute())});`,
      );
      return { contents: constants.join('\n'), loader: 'js' };
    });
  },
};
