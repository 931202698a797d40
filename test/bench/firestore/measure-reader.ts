/**
 * Documents per second of `readRange` over 200,000 documents of 1 KiB, compared with a client that only counts messages, which
 * is the most the server can send. Server, reader and counter are separate processes; reader and counter alternate.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { FirestoreDatabase, probeSource, readRange, verifyCount } from '../../../shared/firestore/index.ts';
import { runQuery } from '../../../shared/firestore/wire/query-requests.ts';
import { fixed, judged, median, printTable } from '../print.ts';

const documents = Number(process.env.BENCH_DOCUMENTS ?? 200_000);
const rounds = 7;
/** Documents that hand-framed HTTP/2 read per second on one core. */
const goalPerCpuSecond = 105_000;
const name = { projectId: 'bench', databaseId: '(default)' };
const root = 'projects/bench/databases/(default)/documents';

interface Round {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly rssMiB: number;
}

/** Only the server's process loads the server, so that the memory of the others is their own. */
const serve = async (): Promise<void> => {
  const { commitWrites, parseWrite } = await import('../../../infra/local/engines/firestore/write/commit-writes.ts');
  const { startFirestore } = await import('../../../infra/local/engines/firestore/index.ts');
  const { proto } = await import('../../../infra/local/engines/firestore/proto/codecs.ts');
  const server = await startFirestore();
  const database = server.databases.open(name);
  const text = proto.Value.encode({ stringValue: 'x'.repeat(860) });
  for (let start = 0; start < documents; start += 500) {
    const writes = Array.from({ length: Math.min(500, documents - start) }, (_, i) => {
      const id = `document-${String(start + i).padStart(9, '0')}`;
      const fields = new Map([
        ['text', text],
        ['number', proto.Value.encode({ integerValue: BigInt(start + i) })],
      ]);
      return parseWrite(proto.Write.encode({ update: proto.Document.encode({ name: `${root}/things/${id}`, fields }) }), name);
    });
    await commitWrites(database, writes);
  }
  process.send?.(server.url);
};

/** Reads the position and update time of every document, as the backup writer does, and keeps nothing. */
const readAll = async (url: string, readTime: string): Promise<number> => {
  const source = new FirestoreDatabase({
    endpoint: url,
    projectId: name.projectId,
    token: async () => 'owner',
    random: () => 0.5,
  });
  const reader = readRange(source, { range: {}, readTime });
  let seen = 0;
  for await (const batch of reader) {
    const document = batch.at(0);
    for (let i = 0; i < batch.count; i++) {
      batch.at(i, document);
      if (document.updatedSeconds > 0 && document.end > document.start) seen += 1;
    }
  }
  if (process.env.BENCH_COUNT) await verifyCount(source, { range: {}, readTime, read: seen });
  source.close();
  return seen;
};

const countAll = (url: string, readTime: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const session = connect(url, { settings: { initialWindowSize: 4 << 20 } });
    session.on('connect', () => session.setLocalWindowSize(64 << 20));
    const headers = { ':method': 'POST', ':path': '/google.firestore.v1.Firestore/RunQuery', 'content-type': 'application/grpc' };
    const stream = session.request({ ...headers, te: 'trailers' });
    let messages = 0;
    let skip = 0;
    let header: Buffer = empty;
    stream.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; ) {
        const step = Math.min(skip, chunk.length - at);
        skip -= step;
        at += step;
        if (skip > 0) return;
        const part = chunk.subarray(at, at + 5 - header.length);
        header = header.length === 0 && part.length === 5 ? part : Buffer.concat([header, part]);
        at += part.length;
        if (header.length < 5) return;
        skip = header.readUInt32BE(1);
        header = empty;
        messages += 1;
      }
    });
    stream.on('error', reject);
    stream.on('close', () => {
      session.close();
      resolve(messages);
    });
    const request = runQuery({ root, readTime }, { range: {} });
    const length = Buffer.alloc(5);
    length.writeUInt32BE(request.length, 1);
    stream.end(Buffer.concat([length, request]));
  });
const empty = Buffer.alloc(0);

/** Runs once per message. */
const work = (run: (url: string, readTime: string) => Promise<number>): void => {
  process.on('message', async ({ url, readTime }: { url: string; readTime: string }) => {
    const cpu = process.cpuUsage();
    const started = performance.now();
    const seen = await run(url, readTime);
    const seconds = (performance.now() - started) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    if (seen !== documents) throw new Error(`${seen} documents of ${documents}`);
    const rssMiB = process.memoryUsage.rss() / 2 ** 20;
    process.send?.({ perSecond: seen / seconds, perCpuSecond: seen / ((user + system) / 1e6), rssMiB } satisfies Round);
  });
};

const main = async (): Promise<void> => {
  const start = (role: string): ChildProcess => fork(new URL(import.meta.url), [role]);
  const server = start('serve');
  const [url] = (await once(server, 'message')) as [string];
  const source = new FirestoreDatabase({
    endpoint: url,
    projectId: name.projectId,
    token: async () => 'owner',
    random: () => 0.5,
  });
  const { readTime } = await probeSource(source);
  source.close();
  const [counter, reader] = [start('count'), start('read')];
  const ask = async (child: ChildProcess): Promise<Round> => {
    child.send({ url, readTime });
    return ((await once(child, 'message')) as [Round])[0];
  };
  const raw: Round[] = [];
  const ours: Round[] = [];
  for (let n = 0; n < rounds; n++) {
    raw.push(await ask(counter));
    ours.push(await ask(reader));
  }
  for (const child of [server, counter, reader]) child.kill();
  const row = (title: string, of: readonly Round[]): string[] => [
    title,
    Math.round(median(of.map((one) => one.perSecond))).toLocaleString('en'),
    Math.round(median(of.map((one) => one.perCpuSecond))).toLocaleString('en'),
    of.map((one) => fixed(one.rssMiB, 0)).join(' '),
  ];
  printTable(
    `One range of ${documents.toLocaleString('en')} documents of 1 KiB, ${rounds} rounds`,
    ['client', 'documents/s', 'per second of CPU', 'RSS MiB by round'],
    [row('counts messages only', raw), row('readRange', ours)],
  );
  const ratio = median(ours.map((one, n) => one.perSecond / (raw[n]?.perSecond ?? 1)));
  // The first rounds warm up the compiler.
  const growth = (ours.at(-1)?.rssMiB ?? 0) / (ours[rounds >> 1]?.rssMiB ?? 1);
  const perCpuSecond = median(ours.map((one) => one.perCpuSecond));
  console.log(`\nreadRange ÷ raw scan: ${fixed(ratio)}`);
  console.log(`per second of CPU ${judged(perCpuSecond >= goalPerCpuSecond, `≥ ${goalPerCpuSecond.toLocaleString('en')}`)}`);
  console.log(`RSS of the last round ÷ the middle one ${fixed(growth)} ${judged(growth <= 1.15, '≤ 1.15')}`);
};

const role = process.argv[2];
if (role === 'serve') await serve();
else if (role === 'count') work(countAll);
else if (role === 'read') work(readAll);
else await main();
