/** What others on npm take for the same database: each in a process of its own, over the same server. */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixed, goalColumns, goalRow, printTable, reaches, whole } from '../print.ts';
import type { Stand } from './stand.ts';
import { Child, type Took } from './task.ts';

const goal = { must: 20, aim: 28, kind: 'least' } as const;
const documents = 40_000;
const tools = [
  { tool: 'firestore-export-import', count: documents, hasReferences: true },
  // It copies a reference with all that hangs on it, and dies of it.
  { tool: 'firestore-backfire', count: documents, hasReferences: false },
  // It asks the server three times for every document, and fails with more than these.
  { tool: 'node-firestore-import-export', count: 10_000, hasReferences: true },
] as const;
/** None took more than two minutes. */
const patienceMs = 600_000;

export const measurePeers = async (stand: Stand): Promise<boolean> => {
  const folder = install();
  if (!folder) {
    console.log('\nThe tools of others could not be installed: not compared with them.');
    return true;
  }
  const rows: string[][] = [];
  let best = 0;
  for (const { tool, count, hasReferences } of tools) {
    const task = await stand.of(count, hasReferences);
    await stand.world.order({ do: 'calls' });
    const child = new Child(join(folder, 'run.mjs'), [tool, task.project, join(folder, 'out.json')], {
      FIRESTORE_EMULATOR_HOST: new URL(task.url).host,
      GCLOUD_PROJECT: task.project,
    });
    const timer = setTimeout(() => child.kill(), patienceMs);
    const took = await child.heard<Took>().catch(() => undefined);
    clearTimeout(timer);
    const { calls } = await stand.world.order({ do: 'calls' });
    if (!took) {
      rows.push([tool, whole(count), 'failed', '', '', '', '', '']);
      continue;
    }
    best = Math.max(best, took.documents / took.seconds);
    rows.push(rowOf(hasReferences ? tool : `${tool}, no references`, count, took, calls));
  }
  const task = await stand.of(documents);
  const engine = stand.world.start('engine');
  // As warm as a worker is after its first shard.
  await engine.run({ ...task, isAlone: true });
  await stand.world.order({ do: 'calls' });
  const took = await engine.run({ ...task, isAlone: true });
  engine.end();
  const { calls } = await stand.world.order({ do: 'calls' });
  rows.push(rowOf('engine, all steps', documents, took, calls));
  printTable(
    'Beside others',
    ['tool', 'documents', 'documents/s', 'per CPU second', 'captured', 'peak RSS', 'calls', 'B/document'],
    rows,
  );
  const ratio = took.documents / took.seconds / best;
  printTable('Goal beside others', goalColumns, [
    goalRow(`documents/s ÷ best of them, ${whole(documents)} documents`, ratio, goal, (value) => fixed(value, 1)),
  ]);
  return reaches(ratio, goal.must, goal.kind);
};

const rowOf = (tool: string, count: number, took: Took, calls: Readonly<Record<string, number>>): string[] => [
  ...[tool, whole(count), whole(took.documents / took.seconds), whole(took.documents / took.cpuSeconds)],
  ...[`${fixed((100 * took.documents) / count, 1)} %`, `${fixed(took.peakMib, 0)} MiB`],
  ...[whole(Object.values(calls).reduce((sum, one) => sum + one, 0)), fixed(took.stored / took.documents, 0)],
];

/** Kept for the next time, by what is to be installed. */
export const install = (): string | undefined => {
  const from = fileURLToPath(new URL('../peers', import.meta.url));
  const wanted = readFileSync(join(from, 'package.json'));
  const folder = join(tmpdir(), `bench-peers-${hash('sha256', wanted).slice(0, 12)}`);
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'run.mjs', 'import.mjs']) copyFileSync(join(from, file), join(folder, file));
  if (existsSync(join(folder, 'node_modules', '.installed'))) return folder;
  try {
    console.log('\ninstalling the tools of others …');
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-save', '--legacy-peer-deps'];
    execFileSync('npm', ['install', ...flags], { cwd: folder, stdio: 'ignore', timeout: 600_000 });
    copyFileSync(join(from, 'package.json'), join(folder, 'node_modules', '.installed'));
    return folder;
  } catch {
    return undefined;
  }
};
