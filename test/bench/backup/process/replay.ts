/** Seals documents from memory and drops the result: the engine's work on a part without a server that competes for the CPU. */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:http2';
import { FrameBuffer } from '../../../../shared/firestore/grpc/frame-buffer.ts';
import { CollectionCounts } from '../../../../shared/firestore/read/collection-counts.ts';
import { DocumentBatch } from '../../../../shared/firestore/read/document-batch.ts';
import { runQuery } from '../../../../shared/firestore/wire/query-requests.ts';
import { PartWriter } from '../../../../shared/stored-backup/write/part-writer.ts';
import type { Task } from '../bench-processes.ts';
import { DroppingStore } from '../store/dropping-store.ts';
import { serve } from './serve-tasks.ts';

const batchBytes = 256 << 10;
const recordedBytes = 96 << 20;
const rounds = 4;
const identity = { organization: 'org_bench', project: 'prj_bench', backup: 'bkp_bench' };
let recorded: Buffer | undefined;

serve(async (task: Task) => {
  recorded ??= await record(task);
  const started = performance.now();
  const totals = { documents: 0, bytes: 0, stored: 0 };
  for (let round = 0; round < rounds; round++) await copy(recorded, totals);
  return { ...totals, workSeconds: (performance.now() - started) / 1_000 };
});

const copy = async (frames: Buffer, totals: { documents: number; bytes: number; stored: number }): Promise<void> => {
  const store = new DroppingStore();
  const part = new PartWriter(store, { number: 0, part: 0, identity, dataKey: randomBytes(32), random: randomBytes, put: {} });
  const [batch, tally, buffer] = [new DocumentBatch(), new CollectionCounts(), new FrameBuffer(batchBytes + (64 << 10))];
  for (let at = 0; at < frames.length; ) {
    while (buffer.filled < batchBytes && at < frames.length) {
      const chunk = frames.subarray(at, at + (16 << 10));
      buffer.push(chunk);
      at += chunk.length;
    }
    const end = batch.load(buffer);
    tally.add(batch);
    part.documents(batch);
    await part.drain();
    totals.documents += batch.count;
    totals.bytes += batch.documentBytes;
    buffer.drop(end);
  }
  await part.finish();
  totals.stored += store.stored;
};

/** The first whole messages of the response. */
const record = ({ url, project, readTime }: Task): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const session = connect(url, { settings: { initialWindowSize: 4 << 20 } });
    const headers = { ':method': 'POST', ':path': '/google.firestore.v1.Firestore/RunQuery', 'content-type': 'application/grpc' };
    const stream = session.request({ ...headers, te: 'trailers' });
    const parts: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      parts.push(chunk);
      size += chunk.length;
      if (size >= recordedBytes) stream.close();
    });
    stream.on('error', reject);
    stream.on('close', () => {
      session.destroy();
      const all = Buffer.concat(parts);
      let end = 0;
      while (end + 5 <= all.length && end + 5 + all.readUInt32BE(end + 1) <= all.length) end += 5 + all.readUInt32BE(end + 1);
      resolve(all.subarray(0, end));
    });
    const request = runQuery({ root: `projects/${project}/databases/(default)/documents`, readTime }, { range: {} });
    const length = Buffer.alloc(5);
    length.writeUInt32BE(request.length, 1);
    stream.end(Buffer.concat([length, request]));
  });
