/**
 * Documents per second of a kindless scan of 200,000 documents of 1 KiB, read by a client that does not decode them, and the
 * memory of 1,000,000 small documents. Server and client run in separate threads.
 */
import { fork } from 'node:child_process';
import { connect } from 'node:http2';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { frame } from '../../../infra/local/engines/firestore/grpc/frames.ts';
import { type Firestore, startFirestore } from '../../../infra/local/engines/firestore/index.ts';
import { proto } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { commitWrites, parseWrite } from '../../../infra/local/engines/firestore/write/commit-writes.ts';

const name = { projectId: 'bench', databaseId: '(default)' };
const root = 'projects/bench/databases/(default)/documents';
const scanned = 200_000;
const held = 1_000_000;

async function scan(): Promise<void> {
  const server = await startFirestore();
  await load(server, scanned, 860);
  const worker = new Worker(new URL(import.meta.url), { workerData: server.url });
  const rates: number[] = [];
  const cpuStart = process.threadCpuUsage();
  worker.on('message', (rate: number) => rates.push(rate));
  await new Promise((resolve) => worker.once('exit', resolve));
  const { user, system } = process.threadCpuUsage(cpuStart);
  await server.stop();
  const middle = [...rates].sort((a, b) => a - b)[rates.length >> 1] ?? 0;
  console.log(
    `kindless scan of ${scanned} documents of 1 KiB: ${show(middle)} documents/s (runs: ${rates.map(show).join(', ')})`,
  );
  // Other load on the machine slows a run down but does not change its CPU time.
  const perCpuSecond = (scanned * rates.length) / ((user + system) / 1e6);
  console.log(`the server's thread serves ${show(perCpuSecond)} documents per CPU second`);
  await new Promise((resolve) => fork(new URL(import.meta.url), ['hold'], { execArgv: ['--expose-gc'] }).once('exit', resolve));
}

async function hold(): Promise<void> {
  const server = await startFirestore();
  const before = process.memoryUsage.rss();
  const started = performance.now();
  await load(server, held, 40);
  const seconds = (performance.now() - started) / 1000;
  const peak = process.resourceUsage().maxRSS / 1024;
  (globalThis as { gc?: () => void }).gc?.();
  const rss = process.memoryUsage.rss();
  console.log(
    `${held} small documents: RSS ${mib(rss)} MiB (empty ${mib(before)}, peak ${Math.round(peak)}), loaded at ${show(held / seconds)}/s`,
  );
  await server.stop();
}

const show = (rate: number): string => Math.round(rate).toLocaleString('en');
const mib = (bytes: number): number => Math.round(bytes / 1024 / 1024);

async function load(server: Firestore, count: number, textBytes: number): Promise<void> {
  const database = server.databases.open(name);
  const text = 'x'.repeat(textBytes);
  for (let start = 0; start < count; start += 500) {
    const writes = Array.from({ length: 500 }, (_, i) => {
      const id = `document-${String(start + i).padStart(9, '0')}`;
      const fields = new Map([
        ['text', proto.Value.encode({ stringValue: text })],
        ['number', proto.Value.encode({ integerValue: BigInt(start + i) })],
      ]);
      return proto.Write.encode({ update: proto.Document.encode({ name: `${root}/things/${id}`, fields }) });
    });
    await commitWrites(
      database,
      writes.map((write) => parseWrite(write, name)),
    );
  }
}

async function read(url: string): Promise<void> {
  const session = connect(url, { settings: { initialWindowSize: 16 << 20, maxFrameSize: 1 << 20 } });
  session.on('connect', () => session.setLocalWindowSize(64 << 20));
  const request = proto.RunQueryRequest.encode({
    parent: root,
    structuredQuery: {
      from: [{ allDescendants: true }],
      orderBy: [{ field: { fieldPath: '__name__' }, direction: 'ASCENDING' }],
    },
  });
  for (let run = 0; run < 5; run++) {
    const started = performance.now();
    const counted = await new Promise<number>((resolve, reject) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/google.firestore.v1.Firestore/RunQuery',
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      const counter = new FrameCounter();
      stream.on('data', (chunk: Buffer) => counter.push(chunk));
      stream.on('end', () => resolve(counter.frames));
      stream.on('error', reject);
      stream.end(frame([request]));
    });
    if (counted !== scanned) throw new Error(`${counted} messages received, expected ${scanned}`);
    parentPort?.postMessage(scanned / ((performance.now() - started) / 1000));
  }
  session.close();
}

/** Counts messages by their headers, without decoding them. */
class FrameCounter {
  frames = 0;
  #skip = 0;
  #header = Buffer.alloc(5);
  #filled = 0;

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, chunk.length - at);
        this.#skip -= step;
        at += step;
        continue;
      }
      const copied = chunk.copy(this.#header, this.#filled, at, at + 5 - this.#filled);
      this.#filled += copied;
      at += copied;
      if (this.#filled < 5) return;
      this.#filled = 0;
      this.#skip = this.#header.readUInt32BE(1);
      this.frames += 1;
    }
  }
}

if (!isMainThread) await read(workerData as string);
else if (process.argv[2] === 'hold') await hold();
else await scan();
