/** Speed of other npm packages with the same database: each in a process of its own, with the same server. */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixed, goalColumns, goalRow, printTable, reaches, whole } from '../print.ts';
import type { BenchDatabases } from './bench-databases.ts';
import { Child, type Took } from './bench-processes.ts';

const goal = { must: 20, aim: 28, kind: 'least' } as const;
const documents = 40_000;
const tools = [
  { tool: 'firestore-export-import', count: documents, hasReferences: true },
  // It crashes on references, because it serializes the whole client object behind each. It appends .ndjson to other file names.
  { tool: 'firestore-backfire', count: documents, hasReferences: false },
  // It makes three calls per document, and fails with more documents than this.
  { tool: 'node-firestore-import-export', count: 10_000, hasReferences: true },
] as const;
/** The slowest took two minutes. */
const timeoutMs = 600_000;

export const measurePeers = async (bench: BenchDatabases): Promise<boolean> => {
  const folder = install();
  if (!folder) {
    console.log('\nOther tools could not be installed; the comparison is skipped.');
    return true;
  }
  const rows: string[][] = [];
  let best = 0;
  for (const { tool, count, hasReferences } of tools) {
    const task = await bench.of(count, hasReferences);
    await bench.processes.order({ do: 'calls' });
    const child = new Child(join(folder, 'run.mjs'), [tool, task.project, join(folder, `${tool}.ndjson`)], {
      FIRESTORE_EMULATOR_HOST: new URL(task.url).host,
      GCLOUD_PROJECT: task.project,
    });
    const timer = setTimeout(() => child.kill(), timeoutMs);
    const took = await child.heard<Took>().catch(() => undefined);
    clearTimeout(timer);
    const { calls } = await bench.processes.order({ do: 'calls' });
    if (!took) {
      rows.push([tool, whole(count), 'failed', '', '', '', '', '']);
      continue;
    }
    best = Math.max(best, took.documents / took.seconds);
    rows.push(rowOf(hasReferences ? tool : `${tool}, no references`, { count, took, calls }));
  }
  const task = await bench.of(documents);
  const engine = bench.processes.start('engine');
  // Warm-up, like the first shard of a worker.
  await engine.run({ ...task, isAlone: true });
  await bench.processes.order({ do: 'calls' });
  const took = await engine.run({ ...task, isAlone: true });
  engine.end();
  const { calls } = await bench.processes.order({ do: 'calls' });
  rows.push(rowOf('engine, all steps', { count: documents, took, calls }));
  printTable(
    'Comparison with other tools',
    ['tool', 'documents', 'documents/s', 'per CPU second', 'captured', 'peak RSS', 'calls', 'B/document'],
    rows,
  );
  const ratio = took.documents / took.seconds / best;
  printTable('Goal: comparison with other tools', goalColumns, [
    goalRow(`documents/s ÷ the fastest tool, ${whole(documents)} documents`, {
      value: ratio,
      goal,
      show: (value) => fixed(value, 1),
    }),
  ]);
  return reaches(ratio, goal.must, goal.kind);
};

const rowOf = (
  tool: string,
  { count, took, calls }: { readonly count: number; readonly took: Took; readonly calls: Readonly<Record<string, number>> },
): string[] => [
  ...[tool, whole(count), whole(took.documents / took.seconds), whole(took.documents / took.cpuSeconds)],
  ...[`${fixed((100 * took.documents) / count, 1)} %`, `${fixed(took.peakMib, 0)} MiB`],
  ...[whole(Object.values(calls).reduce((sum, one) => sum + one, 0)), fixed(took.stored / took.documents, 0)],
];

/** Installs the other tools. The folder is kept for the next run; its name depends on the package list. */
export const install = (): string | undefined => {
  const from = fileURLToPath(new URL('../peers', import.meta.url));
  const wanted = readFileSync(join(from, 'package.json'));
  const folder = join(tmpdir(), `bench-peers-${hash('sha256', wanted).slice(0, 12)}`);
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'run.mjs', 'import.mjs']) copyFileSync(join(from, file), join(folder, file));
  if (existsSync(join(folder, 'node_modules', '.installed'))) return folder;
  try {
    console.log('\ninstalling other tools …');
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-save', '--legacy-peer-deps'];
    execFileSync('npm', ['install', ...flags], { cwd: folder, stdio: 'ignore', timeout: 600_000 });
    copyFileSync(join(from, 'package.json'), join(folder, 'node_modules', '.installed'));
    return folder;
  } catch {
    return undefined;
  }
};
