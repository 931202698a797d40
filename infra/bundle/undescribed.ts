/** What the contract says for people is in the description of the API, which is finished when a bundle is made; functions need none of it. */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const describing =
  /describe\(description\) \{\s*const cl = this\.clone\(\);\s*core\.globalRegistry\.add\(cl, \{ description \}\);\s*return cl;\s*\}/;

/**
 * In a bundle `.describe()` of a schema is the schema itself, instead of a second one that nobody reads, and nothing writes JSON Schema:
 * an eighth less to load. A zod that is written otherwise ends the bundling here, rather than being left as it is.
 */
export const undescribed: Plugin = {
  name: 'undescribed',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]classic[\\/]schemas\.js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      if (!describing.test(code)) throw new Error('zod describes schemas in another way than infra/bundle/undescribed.ts knows');
      return { contents: code.replace(describing, 'describe() { return this; }'), loader: 'js' };
    });
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/](to-json-schema|json-schema-processors)\.js$/ }, async ({ path }) => {
      const names = (await readFile(path, 'utf8')).matchAll(/^export (?:function|const) (\w+)/gm);
      return { contents: [...names].map(([, name]) => `export const ${name} = () => undefined;`).join('\n'), loader: 'js' };
    });
  },
};
