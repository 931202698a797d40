import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Artifact } from '../artifact.ts';
import { functionZips } from '../function-zips.ts';
import { packPackage } from '../pack/pack-package.ts';
import { declareProperties } from './declare-properties.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The library that the app of the customer has, too. It must be one copy: constructs of another one are not recognized. */
const { devDependencies } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly devDependencies: Readonly<Record<'aws-cdk-lib' | 'constructs', string>>;
};
const peers = {
  'aws-cdk-lib': `^${devDependencies['aws-cdk-lib']}`,
  constructs: `^${devDependencies.constructs}`,
};

/** The construct: compiled, with types and the code of all functions. */
export const construct: Artifact = {
  name: 'construct',
  build: async (context) => {
    const { bundles, furtherPackages } = await context.functions();
    const { outputFiles, metafile } = await build({
      absWorkingDir: root,
      entryPoints: ['infra/release/construct/backup-management-service.ts'],
      outfile: 'index.js',
      write: false,
      bundle: true,
      metafile: true,
      // Most apps of the CDK are CommonJS, and modules can import it.
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      mainFields: ['module', 'main'],
      external: ['aws-cdk-lib', 'constructs'],
      define: { 'import.meta.dirname': '__dirname' },
      legalComments: 'none',
      logLevel: 'error',
    });
    const zips = Object.entries(await functionZips(context));
    const contents = { bundles: [metafile, ...bundles], furtherPackages };
    return {
      ...contents,
      files: packPackage(context, {
        ...contents,
        name: 'construct',
        description: 'The Backup Management Service as a construct of the AWS CDK',
        fields: { main: 'index.js', types: 'index.d.ts', peerDependencies: peers },
        files: {
          'index.js': { content: outputFiles[0]?.text ?? '' },
          'index.d.ts': { content: declareProperties() },
          'README.md': { content: readFileSync(new URL('README.md', import.meta.url), 'utf8') },
          ...Object.fromEntries(zips.map(([name, content]) => [`functions/${name}`, { content }])),
        },
      }),
    };
  },
};
