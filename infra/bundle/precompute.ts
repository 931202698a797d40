import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { buildCli, cliFile } from './build-cli.ts';
import { buildConsole, compressFile } from './build-console.ts';

/**
 * Runs the functions of every `precomputed.ts` and `precomputed-*.ts` of shared while bundling and stores their results, which must be JSON, in place of the code.
 * The bundle then contains nothing of what computes them. The files of the console are built likewise,
 * and the command line that it serves.
 */
export const precompute: Plugin = {
  name: 'precompute',
  setup(build) {
    build.onLoad({ filter: /[\\/]shared[\\/].+[\\/]precomputed(-\w+)?\.ts$/ }, async ({ path }) => {
      const functions = (await import(pathToFileURL(path).href)) as Readonly<Record<string, () => unknown>>;
      const constants = Object.entries(functions).map(
        ([name, compute]) => `export const ${name} = () => (${JSON.stringify(compute())});`,
      );
      return { contents: constants.join('\n'), loader: 'js' };
    });
    build.onLoad({ filter: /[\\/]functions[\\/]console[\\/]built-files\.ts$/ }, async () => ({
      contents: `export const builtFiles = ${JSON.stringify(await consoleFiles())};`,
      loader: 'js',
    }));
  },
};

const consoleFiles = async () => {
  const [files, { content }] = await Promise.all([buildConsole(), buildCli()]);
  return { ...files, [cliFile]: compressFile(cliFile, content) };
};
