/** The reader alone: every document where it lies and since when; keeps nothing. */
import { FirestoreDatabase, readRange } from '../../../shared/firestore/index.ts';
import { serve } from './serve.ts';
import type { Outcome, Task } from './task.ts';

const run = async ({ url, project, readTime }: Task): Promise<Outcome> => {
  const source = new FirestoreDatabase({ endpoint: url, projectId: project, token: async () => 'owner', random: () => 0.5 });
  const reader = readRange(source, { range: {}, readTime });
  for await (const batch of reader) batch.at(0);
  source.close();
  return { documents: reader.documents, bytes: reader.bytes, stored: 0 };
};

serve(run);
