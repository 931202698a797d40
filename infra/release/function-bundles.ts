import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { buildCached } from '../bundle/build-cached.ts';
import { buildCli } from '../bundle/build-cli.ts';
import { consolePackages } from '../bundle/build-console.ts';
import { bundle, bundleDir, entries } from '../bundle/bundle.ts';

export interface FunctionBundles {
  readonly entries: readonly string[];
  /** The folder with index.cjs of an entry, and the libraries that it may load. */
  readonly folderOf: (entry: string) => string;
  /** What they contain: of the functions, and of the command line that one of them serves. */
  readonly bundles: readonly Metafile[];
  /** The packages in the pages of the console, which the same function serves. */
  readonly furtherPackages: readonly string[];
}

const metafileName = 'metafile.json';

/** The bundles that `cdk deploy` uploads, from the cache if no source has changed. */
export const functionBundles = async (): Promise<FunctionBundles> => {
  const dir = await buildCached({
    kind: 'release',
    from: [
      'functions/**/*.*',
      'shared/**/*.*',
      'infra/{bundle,cli,archive,deploy,preflight,smoke,part}/**/*.*',
      'infra/config.ts',
    ],
    make: async (draft) => {
      const metafile = await bundle(entries, draft);
      writeFileSync(join(draft, metafileName), JSON.stringify(metafile));
    },
  });
  return {
    entries,
    folderOf: (entry) => bundleDir(entry, dir),
    bundles: [JSON.parse(readFileSync(join(dir, metafileName), 'utf8')) as Metafile, (await buildCli()).metafile],
    furtherPackages: await consolePackages(),
  };
};
