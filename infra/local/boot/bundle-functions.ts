/**
 * Bundles the functions with the same build that deployment uses. The stage is ready with the functions of the API; the workers and the
 * console are bundled meanwhile, and their first events wait for it.
 */
import { join } from 'node:path';
import { endpoints, entryOf } from '../../../shared/contract/index.ts';
import { workers } from '../../../shared/contract/runtime/workers.ts';
import { buildCached } from '../../bundle/build-cached.ts';
import type { LambdaHostOptions } from '../lambda/instance.ts';

/** The worker is bundled as well: loading it as TypeScript would cost each thread 45 ms and 18 MB. */
const thread = 'infra/local/lambda/worker.ts';
/** Its bundle contains the built pages, which take longest. */
const isConsole = (entry: string): boolean => entry.startsWith('functions/console/');

const api = [...new Set(endpoints.map(entryOf))];
const groups: Readonly<Record<string, readonly string[]>> = {
  api: [thread, ...api.filter((entry) => !isConsole(entry))],
  workers: [...new Set(Object.values(workers).map(({ entry }) => entry))].filter((entry) => !api.includes(entry)),
  console: api.filter(isConsole),
};

type Bundles = Pick<LambdaHostOptions, 'worker' | 'bundleOf' | 'whenBundled'>;

export const bundleFunctions = async (say: (line: string) => void): Promise<Bundles> => {
  const dirs = new Map<string, string>();
  const addGroup = async (name: string): Promise<void> => {
    const dir = await bundleGroup(name, () => {
      if (dirs.size > 0) say(`bundling the ${name}`);
    });
    for (const entry of groups[name] ?? []) dirs.set(entry, dir);
  };
  await addGroup('api');
  // One after the other: each build uses all cores.
  const rest: Record<string, Promise<void>> = {};
  rest.workers = addGroup('workers');
  rest.console = rest.workers.then(() => addGroup('console'));
  const groupOf = new Map(Object.entries(groups).flatMap(([name, entries]) => entries.map((entry) => [entry, name])));
  rest.console
    // esbuild would otherwise keep its process for further builds.
    .then(async () => (await import('esbuild')).stop())
    .catch((error: Error) => say(`the functions could not be bundled: ${error.message}`));

  const folderOf = (entry: string): string => {
    const dir = dirs.get(entry);
    if (dir === undefined) throw new Error(`${entry} is not bundled yet`);
    return join(dir, entry.replace(/\.ts$/, ''));
  };
  return {
    worker: join(folderOf(thread), 'index.cjs'),
    bundleOf: (entry) => ({ file: join(folderOf(entry), 'index.cjs'), cache: join(dirs.get(entry) ?? '', 'compiled') }),
    whenBundled: (entry) => (dirs.has(entry) ? undefined : rest[groupOf.get(entry) ?? '']),
  };
};

const bundleGroup = (name: string, onBuild: () => void): Promise<string> =>
  buildCached({
    kind: `bundle-${name}`,
    from: ['functions/**/*.*', 'shared/**/*.*', 'infra/bundle/*.*', ...(name === 'api' ? [thread] : [])],
    make: async (draft) => {
      onBuild();
      const { bundle } = await import('../../bundle/bundle.ts');
      await bundle(groups[name] ?? [], draft);
    },
  });
