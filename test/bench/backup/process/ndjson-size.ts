/** Size of the same documents as NDJSON in the format of the REST API, compressed with gzip 6. */
import { once } from 'node:events';
import { createGzip } from 'node:zlib';
import { FirestoreDatabase, readRange, restDocument } from '../../../../shared/firestore/index.ts';
import type { Task } from '../bench-processes.ts';
import { serve } from './serve-tasks.ts';

serve(async ({ url, project, readTime }: Task) => {
  const source = new FirestoreDatabase({ endpoint: url, projectId: project, token: async () => 'owner', random: () => 0.5 });
  const reader = readRange(source, { range: {}, readTime });
  const gzip = createGzip({ level: 6 });
  let stored = 0;
  gzip.on('data', (chunk: Buffer) => {
    stored += chunk.length;
  });
  for await (const batch of reader) {
    let text = '';
    for (let i = 0; i < batch.count; i++) text += `${JSON.stringify(restDocument(batch.document(i)))}\n`;
    if (!gzip.write(text)) await once(gzip, 'drain');
  }
  gzip.end();
  await once(gzip, 'end');
  source.close();
  return { documents: reader.documents, bytes: reader.bytes, stored };
});
