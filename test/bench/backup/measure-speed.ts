/** Speed of the engine compared with a raw scan, with the hardware limit and with the official client. */
import { fixed, goalColumns, goalRow, median, printTable, reaches, whole } from '../print.ts';
import type { BenchDatabases } from './bench-databases.ts';
import type { Took, Work } from './bench-processes.ts';

export const speedGoals = {
  ofLimit: { must: 0.6, aim: 0.7, kind: 'least' },
  ofSdk: { must: 5, aim: 8, kind: 'least' },
  stored: { must: 1.06, aim: 0.95, kind: 'most' },
  delayed: { must: 0.8, aim: 0.9, kind: 'least' },
  captured: { must: 100, aim: 100, kind: 'least' },
} as const;

const documents = 200_000;
const rounds = 5;
const delayMs = 20;

export const measureSpeed = async (bench: BenchDatabases): Promise<boolean> => {
  const task = await bench.of(documents);
  const works: readonly Work[] = ['scan', 'reader', 'engine', 'engine-to-s3'];
  const clients = works.map((work) => [work, bench.processes.start(work), [] as Took[]] as const);
  const alone = bench.processes.start('engine');
  const [walls, slowWalls]: [number[], number[]] = [[], []];
  // Alternating, so that a slow moment of the machine affects all of them.
  for (let round = 0; round <= rounds; round++) {
    for (const [, client, took] of clients) {
      const one = await client.run(task);
      // The first round warms up the compiler.
      if (round > 0) took.push(one);
    }
    const quick = await alone.run({ ...task, isAlone: true });
    await bench.processes.order({ do: 'delay', ms: delayMs });
    const slow = await alone.run({ ...task, isAlone: true });
    await bench.processes.order({ do: 'delay', ms: 0 });
    if (round === 0) continue;
    walls.push(quick.seconds);
    slowWalls.push(slow.seconds);
  }
  for (const [, client] of clients) client.end();
  alone.end();
  const [sdk, ndjson] = [await bench.processes.once('official-client', task), await bench.processes.once('ndjson-size', task)];

  const tookBy = new Map(clients.map(([work, , took]) => [work, took]));
  const of = (work: Work, value: (took: Took) => number): number => median((tookBy.get(work) ?? []).map(value));
  const perSecond = (took: Took): number => took.documents / (took.ownSeconds ?? took.cpuSeconds);
  const scan = of('scan', perSecond);
  const row = (
    title: string,
    { docs, wall, megabytes }: { readonly docs: number; readonly wall: number; readonly megabytes: number },
  ): string[] => [
    ...[title, whole(documents / wall), whole(docs)],
    ...[fixed((docs * megabytes) / documents, 0), fixed(docs / scan, 3)],
  ];
  const megabytes = of('engine', (took) => took.bytes) / 1e6;
  printTable(
    `Backup of ${whole(documents)} documents of ${whole((megabytes * 1e6) / documents)} bytes`,
    ['', 'documents/s', 'per CPU second', 'MB/s of CPU', '÷ raw scan'],
    [
      row('raw scan: only counts messages', { docs: scan, wall: of('scan', (took) => took.seconds), megabytes }),
      row('reader alone', { docs: of('reader', perSecond), wall: of('reader', (took) => took.seconds), megabytes }),
      row('engine, all steps, store that drops the data', { docs: of('engine', perSecond), wall: median(walls), megabytes }),
      row('engine, all steps, S3 client over HTTP', {
        docs: of('engine-to-s3', perSecond),
        wall: of('engine-to-s3', (took) => took.seconds),
        megabytes,
      }),
      row('official client: stream() to gzip-6 NDJSON', { docs: sdk.documents / sdk.cpuSeconds, wall: sdk.seconds, megabytes }),
      [
        'hardware limit: zstd 3, AES, SHA-256',
        '',
        whole(of('engine', ({ limitBytes = 0, limitSeconds = 1, bytes }) => (limitBytes / limitSeconds / bytes) * documents)),
        fixed(
          of('engine', ({ limitBytes = 0, limitSeconds = 1 }) => limitBytes / limitSeconds / 1e6),
          0,
        ),
        '',
      ],
    ],
  );
  const measured = [
    ['engine ÷ hardware limit at the same time', of('engine', ({ ofLimit = 0 }) => ofLimit), speedGoals.ofLimit],
    [
      'engine ÷ official client to gzip NDJSON, per CPU second',
      of('engine', perSecond) / (sdk.documents / sdk.cpuSeconds),
      speedGoals.ofSdk,
    ],
    [`throughput with ${delayMs} ms per call ÷ with none`, median(walls) / median(slowWalls), speedGoals.delayed],
    ['stored bytes ÷ gzip-6 NDJSON of the REST API', of('engine', ({ stored }) => stored) / ndjson.stored, speedGoals.stored],
    ['captured, of 100', (100 * of('engine', (took) => took.documents)) / documents, speedGoals.captured],
  ] as const;
  printTable(
    'Goals of the engine',
    goalColumns,
    measured.map(([what, value, goal]) => goalRow(what, { value, goal })),
  );
  console.log(
    `stored ${fixed(of('engine', ({ stored }) => stored) / documents, 1)} B/document; gzip-6 NDJSON ${fixed(ndjson.stored / documents, 1)}; the official client's by hand ${fixed(sdk.stored / documents, 1)}`,
  );
  return measured.every(([, value, goal]) => reaches(value, goal.must, goal.kind));
};
