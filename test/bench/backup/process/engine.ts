/** The backup engine with a store that drops the data, so that only its own work counts, interleaved with the hardware limit. */

import type { Outcome, Task } from '../bench-processes.ts';
import { CoreLimit } from '../core-limit.ts';
import { makeBackup } from '../run-backup.ts';
import { DroppingStore } from '../store/dropping-store.ts';
import { serve } from './serve-tasks.ts';

let limit: CoreLimit | undefined;

/**
 * Between two writes to the store it seals documents from memory at the hardware limit: other load on the machine, such as the
 * server on the same core, then slows both equally.
 */
const run = async (task: Task): Promise<Outcome> => {
  const store = new DroppingStore();
  if (task.isAlone) {
    const made = await makeBackup(task.url, task.project, async () => store);
    return { documents: made.documents, bytes: made.bytes, stored: store.stored };
  }
  limit ??= await CoreLimit.read(task);
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
