/** The engine as it is, into a store that forgets, so that its own work is what is measured; beside it the limit of the core. */
import { DroppingStore } from './dropping-store.ts';
import { Limit } from './limit.ts';
import { serve } from './serve.ts';
import type { Outcome, Task } from './task.ts';
import { makeBackup } from './workflow.ts';

let limit: Limit | undefined;

/**
 * Between what it hands to the store, documents that lie ready are sealed at the limit of the core: whatever else the machine
 * does in these moments, and a server on the other half of the same core does much, it does to both.
 */
const run = async (task: Task): Promise<Outcome> => {
  const store = new DroppingStore();
  if (task.isAlone) {
    const made = await makeBackup(task.url, task.project, async () => store);
    return { documents: made.documents, bytes: made.bytes, stored: store.stored };
  }
  limit ??= await Limit.read(task);
  const beside = limit;
  beside.reset();
  const upload = store.upload.bind(store);
  store.upload = (name) => {
    const inner = upload(name);
    return {
      ...inner,
      write: (pieces) => {
        beside.step();
        return inner.write(pieces);
      },
    };
  };
  const started = process.threadCpuUsage();
  const { documents, bytes, shards, reads } = await makeBackup(task.url, task.project, async () => store);
  const { user, system } = process.threadCpuUsage(started);
  const ownSeconds = (user + system) / 1e6 - beside.cpuSeconds;
  return {
    ...{ documents, bytes, stored: store.stored, shards, reads, ownSeconds },
    ...{
      limitBytes: beside.bytes,
      limitSeconds: beside.cpuSeconds,
      ofLimit: bytes / ownSeconds / (beside.bytes / beside.cpuSeconds),
    },
  };
};

serve(run);
