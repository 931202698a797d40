/** The reader alone: reads the position and update time of every document and keeps nothing. */
import { FirestoreDatabase, readRange } from '../../../../shared/firestore/index.ts';
import type { Outcome, Task } from '../bench-processes.ts';
import { serve } from './serve-tasks.ts';

const run = async ({ url, project, readTime }: Task): Promise<Outcome> => {
  const source = new FirestoreDatabase({ endpoint: url, projectId: project, token: async () => 'owner', random: () => 0.5 });
  const reader = readRange(source, { range: {}, readTime });
  for await (const batch of reader) batch.at(0);
  source.close();
  return { documents: reader.documents, bytes: reader.bytes, stored: 0 };
};

serve(run);
