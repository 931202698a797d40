import { readFileSync } from 'node:fs';
import { buildCli, cliFile } from '../../bundle/build-cli.ts';
import type { Artifact } from '../artifact.ts';
import { packPackage } from '../pack/pack-package.ts';

/** The command line, as a package and as the one file that it consists of. */
export const bms: Artifact = {
  name: 'bms',
  build: async (context) => {
    const { content, metafile } = await buildCli();
    const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    return {
      files: {
        [cliFile]: content,
        ...packPackage(context, {
          name: 'bms',
          description: 'Command line of the Backup Management Service; reads backups without the service, too',
          fields: { type: 'module', bin: { bms: cliFile } },
          files: {
            [cliFile]: { content, isExecutable: true },
            'README.md': { content: readme },
          },
          bundles: [metafile],
        }),
      },
      bundles: [metafile],
    };
  },
};
