/**
 * Documents per second written into an empty embedded Firestore without a rate limit: `BatchWriter` into the same and into another
 * project, compared with the official client's BulkWriter without throttling, which gets decoded documents. Server and writers are
 * separate processes; the writers alternate.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { QueryDocumentSnapshot } from '@google-cloud/firestore';
import { referenceRewriter } from '../../../shared/firestore/document/reference-rewriter.ts';
import { BatchWriter, FirestoreDatabase } from '../../../shared/firestore/index.ts';
import { type Documents, makeDocuments, source as sourceDatabase } from '../archive/sample-documents.ts';
import { fixed, judged, median, printTable } from '../print.ts';

const documents = Number(process.env.BENCH_DOCUMENTS ?? 20_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const [must, aim] = [4, 6];

interface Order {
  readonly do: 'clear' | 'digest';
  readonly project: string;
}
interface Round {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly rssMiB: number;
}

/** Only the server's process loads the server, so that the memory of the others is their own. */
const serve = async (): Promise<void> => {
  const { startFirestore } = await import('../../../infra/local/engines/firestore/index.ts');
  const { documentFields } = await import('../../../infra/local/engines/firestore/value/encode-document.ts');
  const { lastKey } = await import('../../../infra/local/engines/firestore/base/path-key.ts');
  const server = await startFirestore();
  process.on('message', ({ do: what, project }: Order) => {
    const name = { projectId: project, databaseId: '(default)' };
    if (what === 'clear') {
      server.databases.delete(name);
      server.databases.create(name);
    }
    const hash = createHash('sha256');
    const database = server.databases.open(name);
    let count = 0;
    for (const { path, bytes } of database.scan('', lastKey, { at: database.readTime() })) {
      count += 1;
      hash.update(path).update(documentFields(bytes));
    }
    process.send?.({ count, digest: hash.digest('hex') });
  });
  process.send?.(server.url);
};

/** Digest of the documents that the target must contain at the end. */
const digestOf = async ({ bytes, ends }: Documents): Promise<string> => {
  const { documentFields, readDocumentHead } = await import('../../../infra/local/engines/firestore/value/encode-document.ts');
  const hash = createHash('sha256');
  for (let i = 0; i < ends.length; i++) {
    const document = bytes.subarray(i === 0 ? 0 : ends[i - 1], ends[i]);
    const { name } = readDocumentHead(document);
    hash.update(name.slice(`${sourceDatabase}/documents/`.length)).update(documentFields(document));
  }
  return hash.digest('hex');
};

const writeOurs = async ({ bytes, ends }: Documents, url: string, project: string): Promise<void> => {
  const target = new FirestoreDatabase({ endpoint: url, projectId: project, token: async () => 'owner', random: Math.random });
  const rewrite = referenceRewriter(sourceDatabase, target.database);
  const writer = new BatchWriter(target);
  for (let i = 0, start = 0; i < ends.length; i++) {
    const end = ends[i] ?? 0;
    const wait = writer.put(rewrite(bytes.subarray(start, end)), 'overwrite');
    if (wait) await wait;
    start = end;
  }
  const { written } = await writer.end();
  if (written !== documents) throw new Error(`${written} documents of ${documents}`);
  target.close();
};

/** Reads the documents with the official client, and returns a function that writes them with its BulkWriter. */
const bulk = async (url: string) => {
  const { Firestore } = await import('@google-cloud/firestore');
  process.env.FIRESTORE_EMULATOR_HOST = new URL(url).host;
  const from = new Firestore({ projectId: 'bench' });
  const held: { path: string; data: object }[] = [];
  for (const group of ['items', 'parts'])
    for await (const document of from.collectionGroup(group).stream() as unknown as AsyncIterable<QueryDocumentSnapshot>)
      held.push({ path: document.ref.path, data: document.data() });
  await from.terminate();
  return async (project: string): Promise<void> => {
    const target = new Firestore({ projectId: project });
    const writer = target.bulkWriter({ throttling: false });
    let written = 0;
    for (const { path, data } of held)
      void writer.set(target.doc(path), data).then(() => {
        written += 1;
      });
    await writer.close();
    if (written !== documents) throw new Error(`${written} documents of ${documents}`);
    await target.terminate();
  };
};

/** Runs once per message. */
const work = (run: (url: string, project: string) => Promise<void>): void => {
  process.on('message', async ({ url, project }: { url: string; project: string }) => {
    const cpu = process.cpuUsage();
    const started = performance.now();
    await run(url, project);
    const seconds = (performance.now() - started) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    const rssMiB = process.memoryUsage.rss() / 2 ** 20;
    process.send?.({ perSecond: documents / seconds, perCpuSecond: documents / ((user + system) / 1e6), rssMiB } satisfies Round);
  });
};

const start = (...args: readonly string[]): ChildProcess => fork(new URL(import.meta.url), [...args]);
const ask = async <T>(child: ChildProcess, message: object): Promise<T> => {
  child.send(message);
  return ((await once(child, 'message')) as [T])[0];
};

export const measureWriter = async (): Promise<boolean> => {
  const server = start('serve');
  const [url] = (await once(server, 'message')) as [string];
  const ours = start('ours');
  const sameDatabase: Round[] = [];
  const otherDatabase: Round[] = [];
  const official: Round[] = [];
  const run = async (child: ChildProcess, project: string): Promise<Round> => {
    await ask(server, { do: 'clear', project } satisfies Order);
    return ask<Round>(child, { url, project });
  };
  // The official client reads its documents from this project.
  sameDatabase.push(await run(ours, 'bench'));
  const held = await ask<{ digest: string }>(server, { do: 'digest', project: 'bench' } satisfies Order);
  const isIdentical = held.digest === (await digestOf(makeDocuments(documents)));
  const bulkWriter = start('bulk', url);
  await once(bulkWriter, 'message');
  for (let n = 0; n < rounds; n++) {
    official.push(await run(bulkWriter, 'bulk'));
    otherDatabase.push(await run(ours, 'ours'));
    sameDatabase.push(await run(ours, 'bench'));
  }
  // The first round warmed up the compiler.
  sameDatabase.shift();
  for (const child of [server, ours, bulkWriter]) child.kill();
  const row = (title: string, of: readonly Round[]): string[] => [
    title,
    Math.round(median(of.map((one) => one.perSecond))).toLocaleString('en'),
    Math.round(median(of.map((one) => one.perCpuSecond))).toLocaleString('en'),
    of.map((one) => fixed(one.rssMiB, 0)).join(' '),
  ];
  printTable(
    `${documents.toLocaleString('en')} documents of 1 kB into an empty database, ${rounds} rounds`,
    ['writer', 'documents/s', 'per second of CPU', 'RSS MiB by round'],
    [
      row('BulkWriter, unthrottled', official),
      row('BatchWriter, another project (references rewritten)', otherDatabase),
      row('BatchWriter, the same project', sameDatabase),
    ],
  );
  let isMet = isIdentical;
  for (const [title, of] of [
    ['another project', otherDatabase],
    ['the same project', sameDatabase],
  ] as const) {
    const ratio = median(of.map((one, n) => one.perSecond / (official[n]?.perSecond ?? 1)));
    const goals = [judged(ratio >= must, `≥ ${must}`), judged(ratio >= aim, `≥ ${aim}`)];
    console.log(`\n${title} ÷ BulkWriter: ${fixed(ratio)} (${goals.join(', ')})`);
    isMet &&= ratio >= must;
  }
  console.log(`\ntarget identical to the source, byte for byte: ${isIdentical}`);
  return isMet;
};

const [role, url = ''] = process.send ? process.argv.slice(2) : [];
if (role === 'serve') await serve();
else if (role === 'expected') process.send?.(await digestOf(makeDocuments(documents)));
else if (role === 'ours') {
  const held = makeDocuments(documents);
  work((at, project) => writeOurs(held, at, project));
} else if (role === 'bulk') {
  const write = await bulk(url);
  work((_, project) => write(project));
  process.send?.('ready');
}
