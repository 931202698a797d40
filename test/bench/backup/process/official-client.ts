/** The official client: streams every collection group and writes each document as a line of gzipped JSON. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Firestore, type QueryDocumentSnapshot } from '@google-cloud/firestore';
import type { Outcome, Task } from '../bench-processes.ts';
import { collectionIds } from '../source/sample-database.ts';
import { serve } from './serve-tasks.ts';

const run = async ({ url, project, file }: Task): Promise<Outcome> => {
  process.env.FIRESTORE_EMULATOR_HOST = new URL(url).host;
  const firestore = new Firestore({ projectId: project });
  const outcome = { documents: 0, bytes: 0, stored: 0 };
  const gzip = createGzip({ level: 6 });
  gzip.on('data', (chunk: Buffer) => {
    outcome.stored += chunk.length;
  });
  async function* lines() {
    for (const id of collectionIds) {
      const stream = firestore.collectionGroup(id).stream() as AsyncIterable<unknown>;
      for await (const document of stream as AsyncIterable<QueryDocumentSnapshot>) {
        const { ref, createTime, updateTime } = document;
        outcome.documents += 1;
        yield `${JSON.stringify({ path: ref.path, createTime, updateTime, data: document.data() })}\n`;
      }
    }
  }
  await pipeline(lines, gzip, createWriteStream(file));
  await firestore.terminate();
  return outcome;
};

serve(run);
