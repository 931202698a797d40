/** Cost of a cold start per bundle: size, CPU time to load it, and CPU time to the first response compared with the bare DynamoDB client. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { build } from 'esbuild';
import { bundle, bundleDir, entries } from '../../../infra/bundle/bundle.ts';
import { endpoints, entryOf } from '../../../shared/contract/index.ts';
import { fixed, type Goal, goalColumns, goalRow, judged, printTable, reaches } from '../print.ts';
import { startFirstAnswer } from './first-answer.ts';

const bare = 'bare client-dynamodb';
/** The fastest run counts: other load on the machine only adds time. */
const loads = 15;
const answers = 15;
const goals = {
  zipBytes: { must: 250_000, aim: 160_000, kind: 'most' },
  answer: { must: 1.7, aim: 1.4, kind: 'most' },
} as const satisfies Record<string, Goal>;
/** Of functions that open buckets. */
const storeGoals = {
  zipBytes: { must: 700_000, aim: 400_000, kind: 'most' },
  answer: { must: 2.2, aim: 1.8, kind: 'most' },
} as const satisfies Record<keyof typeof goals, Goal>;
/** The workers of backups, compared with the official client after it is initialized. */
const worker = 'backup/workflow';
const official = 'official Firestore client, ready';
const workerGoal = { must: 0.25, aim: 0.1, kind: 'most' } as const;

export const measureStartUp = async (dir: string): Promise<boolean> => {
  const files = await bundleAll(dir);
  const times = new Map([...files.keys()].map((name): [string, number[]] => [name, []]));
  // Alternating, so that a slow moment of the machine affects all of them.
  for (let n = 0; n < loads; n++) for (const [name, file] of files) times.get(name)?.push(loadCpuMs(file));
  const fastest = (name: string): number => Math.min(...(times.get(name) ?? []));
  const answered = await measureAnswers(files);

  const apiNames = new Set([...apiEntries].map(nameOf));
  let met = true;
  const rows = [...files].map(([name, file]) => {
    const parts = partsOf(file);
    const bytes = sumOf([...parts.values()].map((part) => part.length));
    const zipBytes = sumOf([...parts.values()].map((part) => deflateRawSync(part, { level: 9 }).length));
    const answerMs = answered.get(name);
    const ratio = (answerMs ?? 0) / (answered.get(bare) ?? Number.NaN);
    const measured = { zipBytes, answer: ratio };
    const opensBuckets = parts.has('gcs-library.cjs');
    const reached = (grade: 'must' | 'aim') =>
      Object.entries(opensBuckets ? storeGoals : goals).every(([what, goal]) =>
        reaches(measured[what as keyof typeof goals], goal[grade], goal.kind),
      );
    // Goals apply to the API only: callers wait for it, workers start behind a queue.
    const isApi = apiNames.has(name);
    met &&= !isApi || reached('must');
    return [
      name,
      fixed(bytes / 1_000, 0),
      fixed(zipBytes / 1_000, 0),
      fixed(fastest(name), 0),
      answerMs === undefined ? '' : fixed(answerMs, 0),
      answerMs === undefined ? '' : fixed(ratio),
      isApi ? judged(reached('must'), 'must') : '',
      isApi ? judged(reached('aim'), 'aim') : '',
    ];
  });
  const columns = ['bundle', 'KB', 'KB zipped', 'import CPU ms', 'first answer CPU ms', '÷ bare', '', ''];
  const title = `Start-up, fastest of ${loads} loads and ${answers} answers; must ${shown('must')}, aim ${shown('aim')}`;
  printTable(title, columns, rows);
  const workerRatio = fastest(worker) / fastest(official);
  printTable('Goal of a worker', goalColumns, [
    goalRow(`import of ${worker} ÷ ${official}`, { value: workerRatio, goal: workerGoal }),
  ]);
  return met && reaches(workerRatio, workerGoal.must, workerGoal.kind);
};

/** In brackets those of functions that open buckets. */
const shown = (grade: 'must' | 'aim'): string =>
  `${goals.zipBytes[grade] / 1_000} KB (${storeGoals.zipBytes[grade] / 1_000}) and ${goals.answer[grade]} (${storeGoals.answer[grade]})`;

/** The bare client is bundled with common settings. Its answer is to one call. */
const bundleAll = async (dir: string): Promise<ReadonlyMap<string, string>> => {
  const [plain, ours] = [join(dir, 'plain.cjs'), join(dir, 'ours')];
  await build({
    entryPoints: [fileURLToPath(new URL('bare-client.ts', import.meta.url))],
    outfile: plain,
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    logLevel: 'error',
  });
  await bundle(entries, ours);
  return new Map([
    [bare, plain],
    ...entries.map((entry) => [nameOf(entry), join(bundleDir(entry, ours), 'index.cjs')] as const),
    [official, fileURLToPath(new URL('official-client.cjs', import.meta.url))],
  ]);
};

/** All files that are uploaded: a function also has the files beside its index.cjs. */
const partsOf = (file: string): ReadonlyMap<string, Buffer> => {
  const names = basename(file) === 'index.cjs' ? readdirSync(dirname(file)) : [basename(file)];
  return new Map(names.map((name) => [name, readFileSync(join(dirname(file), name))]));
};
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** The function of the console is mostly its pages. */
const apiEntries = new Set(endpoints.map(entryOf).filter((entry) => !entry.startsWith('functions/console/')));
const nameOf = (entry: string): string => entry.replace(/^functions\/|\.ts$/g, '');

const measureAnswers = async (files: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, number>> => {
  const first = await startFirstAnswer();
  const fastest = new Map<string, number>();
  const keep = (name: string, cpuMs: number): unknown =>
    fastest.set(name, Math.min(cpuMs, fastest.get(name) ?? Number.POSITIVE_INFINITY));
  for (let n = 0; n < answers; n++) {
    keep(bare, (await first.measureBare(files.get(bare) ?? '')).cpuMs);
    for (const entry of apiEntries) {
      const answer = await first.measure(entry, files.get(nameOf(entry)) ?? '');
      if (!answer) continue;
      if (answer.status >= 500 || answer.status === 401 || answer.status === 403)
        throw new Error(`${entry} answered ${answer.status}`);
      keep(nameOf(entry), answer.cpuMs);
    }
  }
  first.stop();
  return fastest;
};

const program = `const cpu = process.threadCpuUsage();
Promise.resolve(require(process.argv[1]).isReady).then(() => {
  const { user, system } = process.threadCpuUsage(cpu);
  process.stdout.write(JSON.stringify((user + system) / 1000), () => process.exit());
});`;

/** CPU time of the loading thread, in a new process without a compile cache. Other load on the machine hardly changes it. */
const loadCpuMs = (file: string): number => {
  const env = {
    PATH: process.env.PATH,
    AWS_REGION: 'eu-central-1',
    NODE_DISABLE_COMPILE_CACHE: '1',
    // The official client would look for Google's metadata server.
    METADATA_SERVER_DETECTION: 'none',
  };
  return Number(execFileSync(process.execPath, ['-e', program, file], { env, encoding: 'utf8' }));
};
