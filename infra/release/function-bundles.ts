import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { buildCached } from '../bundle/build-cached.ts';
import { consolePackages } from '../bundle/build-console.ts';
import { bundle, bundleDir, entries } from '../bundle/bundle.ts';

export interface FunctionBundles {
  readonly entries: readonly string[];
  /** The folder with index.cjs of an entry, and the libraries that it may load. */
  readonly folderOf: (entry: string) => string;
  readonly metafile: Metafile;
  /** The packages in the pages of the console, which one of the functions serves. */
  readonly consolePackages: readonly string[];
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
    metafile: JSON.parse(readFileSync(join(dir, metafileName), 'utf8')) as Metafile,
    consolePackages: await consolePackages(),
  };
};
