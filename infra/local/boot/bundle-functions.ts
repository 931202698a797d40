/** Bundles the functions with the same build that deployment uses. */
import { join } from 'node:path';
import { buildCached } from '../../bundle/build-cached.ts';
import type { LambdaHostOptions } from '../lambda/instance.ts';

/** The worker is bundled as well: loading it as TypeScript would cost each thread 45 ms and 18 MB. */
const worker = 'infra/local/lambda/worker.ts';

export const bundleFunctions = async (): Promise<Pick<LambdaHostOptions, 'worker' | 'bundleOf' | 'cache'>> => {
  const dir = await buildCached({
    kind: 'bundle',
    from: ['functions/**/*.*', 'shared/**/*.*', 'infra/bundle/*.*', worker],
    make: async (draft) => {
      const { bundle, entries } = await import('../../bundle/bundle.ts');
      await bundle([...entries, worker], draft);
      // esbuild would otherwise keep its process for further builds.
      await (await import('esbuild')).stop();
    },
  });
  const bundleOf = (entry: string): string => join(dir, entry.replace(/\.ts$/, ''), 'index.cjs');
  return { worker: bundleOf(worker), bundleOf, cache: join(dir, 'compiled') };
};
