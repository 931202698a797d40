/** Omits zod's JSON Schema support from bundles: the OpenAPI document is computed at build time (precompute.ts). */
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

/** Saves 3 to 5 KB of each zipped function. All schema classes refer to these modules, so esbuild cannot drop them by itself. */
export const leanZod: Plugin = {
  name: 'lean-zod',
  setup(build) {
    const path = fileURLToPath(new URL('lean-zod-stand-in.ts', import.meta.url));
    build.onResolve({ filter: /^\.\.\/core\/(to-json-schema|json-schema-processors)\.js$/ }, ({ importer }) =>
      /[\\/]zod[\\/]v4[\\/]classic[\\/]schemas\.js$/.test(importer) ? { path } : undefined,
    );
  },
};
