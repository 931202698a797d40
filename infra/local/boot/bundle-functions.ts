/**
 * Bundles the functions with the same build that deployment uses. The stage is ready before: the first event starts the builds, and events
 * wait for the bundle of their function. Later stages find the bundles in the cache.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints, entryOf } from '../../../shared/contract/index.ts';
import { workers } from '../../../shared/contract/runtime/workers.ts';
import { buildCached, isFromTheseSources, moveInto } from '../../bundle/build-cached.ts';
import type { BuiltLibraries } from '../../bundle/bundle.ts';
import type { LambdaHostOptions } from '../lambda/instance.ts';
import { makeBuildQueue } from './build-queue.ts';

/** The worker is bundled as well: loading it as TypeScript would cost each thread 45 ms and 18 MB. */
const thread = 'infra/local/lambda/worker.ts';

/** In the order in which a first session, such as the demo, invokes them: it signs in, connects a bucket and a database, backs up and restores. */
const firstSession = [
  ...['api/auth', 'api/organizations', 'event/fan-out', 'destination/connect', 'webhook/match', 'project/connect'],
  ...['alert/incident', 'backup/create', 'api/backups', 'event/task', 'backup/workflow', 'api/backup-contents'],
  ...['restore/create', 'api/restores', 'restore/workflow', 'api/schedules', 'schedule/run'],
].map((name) => `functions/${name}.ts`);

const entries = [...new Set([...firstSession, ...Object.values(workers).map(({ entry }) => entry), ...endpoints.map(entryOf)])];

/** Its bundle contains the built pages, which take longest. */
const isConsole = (entry: string): boolean => entry.startsWith('functions/console/');

/** A bundle takes 1.3 s of CPU alone, 0.5 in a build of six and 0.4 in one of eighteen, for which its events wait. */
const builtAtOnce = 9;

/** Go's garbage collector takes about a quarter of esbuild's CPU by default. Half as many collections cost it half as much memory again. */
const esbuildGarbagePercent = '200';

interface Bundles extends Pick<LambdaHostOptions, 'worker' | 'bundleOf' | 'whenBundled'> {
  stop(): void;
}

/** The demo needs the processors, too: until `demoEnd`, only what a first session invokes and what events wait for is bundled. */
export const bundleFunctions = async (say: (line: string) => void, demoEnd?: Promise<void>): Promise<Bundles> => {
  process.env.GOGC ??= esbuildGarbagePercent;
  const from = ['functions/**/*.*', 'shared/**/*.*', 'infra/bundle/*.*', thread];
  const dir = await buildCached({
    kind: 'bundle',
    from,
    make: async (draft) => {
      const { bundle } = await import('../../bundle/bundle.ts');
      await bundle([thread], draft);
    },
  });
  const folderOf = (entry: string): string => join(dir, entry.replace(/\.ts$/, ''));
  const missing = entries.filter((entry) => !existsSync(folderOf(entry)));

  const builtLibraries: BuiltLibraries = new Map();
  const build = async (batch: readonly string[]): Promise<void> => {
    const draft = join(dir, `draft-${randomUUID()}`);
    try {
      const { bundle, bundleDir } = await import('../../bundle/bundle.ts');
      await bundle(batch, draft, { builtLibraries });
      // Later stages would take these bundles for those of the sources at the start.
      if (!isFromTheseSources(dir, { from })) throw new Error('the sources have changed since the start; start the stage again');
      // Each as a whole: a stage that shares the folder sees none that is unfinished.
      for (const entry of batch) moveInto(folderOf(entry), bundleDir(entry, draft));
    } catch (error) {
      say(`${batch.join(', ')} could not be bundled: ${(error as Error).message}`);
      throw error;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  };
  const pages = makeBuildQueue({
    first: [],
    others: missing.filter(isConsole),
    atOnce: 1,
    build: (batch) => {
      say('building the console');
      return build(batch);
    },
  });
  const first = missing.filter((entry) => firstSession.includes(entry));
  const others = missing.filter((entry) => !isConsole(entry) && !first.includes(entry));
  // Without a demo it is unknown what a session invokes, so what is waited for comes first.
  const queued = demoEnd ? { first, others } : { first: [], others: [...first, ...others] };
  const functions = makeBuildQueue({ ...queued, atOnce: builtAtOnce, build });
  let isStopped = false;
  const buildAll = async (): Promise<void> => {
    say(`bundling the functions, ${first.length} of ${missing.length} for a first session; their first events wait for it`);
    await demoEnd;
    if (demoEnd && !isStopped) say('bundling the other functions');
    await functions.start();
    await pages.start();
    // esbuild would otherwise keep its process for further builds. After a stop they may be those of another stage in this process.
    if (!isStopped) await (await import('esbuild')).stop();
  };
  let isStarted = missing.length === 0;
  return {
    worker: join(folderOf(thread), 'index.cjs'),
    bundleOf: (entry) => ({ file: join(folderOf(entry), 'index.cjs'), cache: join(dir, 'compiled') }),
    whenBundled: (entry) => {
      const bundling = functions.when(entry) ?? pages.when(entry);
      if (!isStarted) void buildAll();
      isStarted = true;
      return bundling;
    },
    stop: () => {
      isStopped = true;
      for (const queue of [functions, pages]) queue.stop();
    },
  };
};
