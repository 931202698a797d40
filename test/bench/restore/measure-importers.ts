/** Speed of other import tools with the same documents, each reading the file that its own export has written. */
import { join } from 'node:path';
import { Child } from '../backup/bench-processes.ts';
import { install } from '../backup/measure-peers.ts';
import { fixed, printTable, whole } from '../print.ts';
import type { Server } from './target-server.ts';

/** firestore-backfire cannot export references: it recurses into the client object behind each until the stack overflows. */
const tools = ['firestore-export-import', 'firestore-backfire', 'node-firestore-import-export'] as const;
/** Of each export and import: node-firestore-import-export makes three calls per document. */
const timeoutMs = 120_000;

interface Compared {
  readonly server: Server;
  readonly url: string;
  readonly dir: string;
  /** The project that the tools export. */
  readonly from: string;
  /** Documents per second of a restore. */
  readonly perSecond: number;
}

export const measureImporters = async ({ server, url, dir, from, perSecond }: Compared): Promise<void> => {
  const folder = install();
  if (!folder) {
    console.log('\nOther tools could not be installed; the comparison is skipped.');
    return;
  }
  const held = await server.digest(from);
  const rows: string[][] = [];
  for (const tool of tools) {
    const file = join(dir, `${tool}.ndjson`);
    const run = (script: string, project: string) =>
      resultOf(new Child(join(folder, script), [tool, project, file], hostOf(url, project)));
    await server.clear(tool);
    const exported = await run('run.mjs', from);
    const took = exported && (await run('import.mjs', tool));
    const { count, digest } = await server.digest(tool);
    rows.push(
      took
        ? [tool, whole(count / took.seconds), `${fixed((100 * count) / held.count, 1)} %`, digest === held.digest ? 'yes' : 'no']
        : [tool, exported ? 'import failed' : 'export failed', `${fixed((100 * count) / held.count, 1)} %`, ''],
    );
    await server.clear(tool);
  }
  rows.push(['restore, write step', whole(perSecond), '100.0 %', 'yes']);
  printTable('Comparison with other import tools', ['tool', 'documents/s', 'restored', 'same bytes'], rows);
};

const hostOf = (url: string, project: string) => ({ FIRESTORE_EMULATOR_HOST: new URL(url).host, GCLOUD_PROJECT: project });

/** Undefined if the tool fails or times out. */
const resultOf = async (process: Child): Promise<{ readonly seconds: number } | undefined> => {
  const timer = setTimeout(() => process.kill(), timeoutMs);
  try {
    return await process.heard<{ readonly seconds: number }>();
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
};
