/** What is known when a bundle is made, and need not be made again in every container. */
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

/**
 * A file called precomputed.ts exports functions without arguments; a bundle has what they give in the place of their code, and nothing
 * of what it was made from comes along. What they give must be JSON.
 */
export const finished: Plugin = {
  name: 'finished',
  setup(build) {
    build.onLoad({ filter: /[\\/]shared[\\/]\w+[\\/]precomputed\.ts$/ }, async ({ path }) => {
      const made = (await import(pathToFileURL(path).href)) as Readonly<Record<string, () => unknown>>;
      const constants = Object.entries(made).map(([name, make]) => `export const ${name} = () => (${JSON.stringify(make())});`);
      return { contents: constants.join('\n'), loader: 'js' };
    });
  },
};
