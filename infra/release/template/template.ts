import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Artifact } from '../artifact.ts';
import { functionZips } from '../function-zips.ts';
import { digestOf, makeTemplate } from './make-template.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The template with nested stacks, the code of all functions, and the program that uploads them. */
export const template: Artifact = {
  name: 'template',
  build: async (context) => {
    const { bundles, furtherPackages } = await context.functions();
    const zips = Object.entries(await functionZips(context)).map(([plain, content]) => ({
      plain,
      name: plain.replace(/\.zip$/, `-${digestOf(content)}.zip`),
      content,
    }));
    const zipNames = Object.fromEntries(zips.map(({ plain, name }) => [plain, name]));
    const { root: rootTemplate, nested } = await makeTemplate({ version: context.version, zipNames });
    const { outputFiles, metafile } = await buildPublish();
    const assets = [...Object.entries(nested), ...zips.map(({ name, content }) => [name, content] as const)];
    return {
      files: {
        'template/template.json': `${JSON.stringify(rootTemplate, null, 2)}\n`,
        'template/publish.mjs': outputFiles[0]?.text ?? '',
        'template/README.md': readFileSync(new URL('README.md', import.meta.url), 'utf8'),
        ...Object.fromEntries(assets.map(([name, content]) => [`template/assets/${name}`, content])),
      },
      bundles: [metafile, ...bundles],
      furtherPackages,
    };
  },
};

const buildPublish = () =>
  build({
    absWorkingDir: root,
    entryPoints: ['infra/release/template/publish/main.ts'],
    outfile: 'publish.mjs',
    write: false,
    bundle: true,
    metafile: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    // Packages that are not modules load parts of Node with `require`. Node has `import.meta.dirname` since 20.11.
    banner: {
      js: 'import{createRequire as publishRequire}from"node:module";const require=publishRequire(import.meta.url);',
    },
    legalComments: 'none',
    logLevel: 'error',
  });
