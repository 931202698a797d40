/** Copies the users of Firebase Authentication, in one part: they are listed from the beginning each time. */

import { compareNames } from '../archive/index.ts';
import { JobFailure, Pulse } from '../job/index.ts';
import { beatOf, type CopyRun, withPart } from './copy-run.ts';
import type { PartWriter } from './part.ts';
import { type Claim, report } from './shard.ts';

interface User {
  readonly name: Buffer;
  readonly id: string;
  readonly json: Buffer;
}

/** Users come by their ids, which is not quite the order of names in an archive: so much is held back to be sorted. */
const heldBytesMax = 32 << 20;

export const copyUsers = (run: CopyRun, claim: Claim): Promise<boolean> =>
  withPart(run, claim, async (part) => {
    const { parties, backup, engine, halt } = run;
    const pulse = new Pulse({
      ...beatOf(run),
      untold: () => 0,
      tell: async () => undefined,
    });
    const originalSize = await fill(run, part).finally(() => pulse.stop());
    const stored = await part.finish();
    halt.check();
    const standing = { documents: 0, reads: claim.shard.reads };
    const ending = { isDone: true, ...(stored && { part: { ...stored, originalSize, collections: '[]' } }) };
    await report(parties, backup.id, claim, standing, engine.clock, ending);
    return true;
  });

const fill = async ({ parties, project, engine, halt }: CopyRun, part: PartWriter): Promise<number> => {
  let held: User[] = [];
  let heldBytes = 0;
  let bytes = 0;
  /** Writes the first half, or all. */
  const release = async (count: number): Promise<void> => {
    held.sort((a, b) => compareNames(a.name, b.name));
    for (const { id, json } of held.slice(0, count)) {
      part.user(id, json);
      await part.drain();
    }
    held = held.slice(count);
    heldBytes = held.reduce((sum, { json }) => sum + json.length, 0);
  };
  try {
    for await (const { id, json } of engine.readAuthUsers(parties.tenant, project, halt.reading)) {
      held.push({ name: Buffer.from(`accounts/${id}`), id, json });
      heldBytes += json.length;
      bytes += json.length;
      if (heldBytes >= heldBytesMax) await release(held.length >>> 1);
    }
    await release(held.length);
    return bytes;
  } catch (error) {
    const meaning = halt.meaning(error);
    if (meaning !== undefined) throw meaning;
    throw new JobFailure('BACKUP_TIMEOUT', 'The users of Firebase Authentication could not be read in the time of one worker');
  }
};
