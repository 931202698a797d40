/** Copies the users of Firebase Authentication, in one part: they are listed from the beginning each time. */

import { Heartbeat, JobFailure } from '../../job/index.ts';
import { beatOf, type CopyRun, withPart } from './copy-run.ts';
import type { PartWriter } from './part-writer.ts';
import { type Claim, checkpointShard } from './shard-progress.ts';
import { inOrderOfNames } from './sort-users.ts';

export const copyUsers = (run: CopyRun, claim: Claim): Promise<boolean> =>
  withPart(run, claim, async (part) => {
    const { parties, backup, engine, halt } = run;
    const pulse = new Heartbeat({
      ...beatOf(run),
      unreported: () => 0,
      report: async () => undefined,
    });
    const originalSize = await fill(run, part).finally(() => pulse.stop());
    const stored = await part.finish();
    halt.check();
    const standing = { documents: 0, reads: claim.shard.reads };
    const ending = { isDone: true, ...(stored && { part: { ...stored, originalSize, collections: '[]' } }) };
    await checkpointShard(parties, backup.id, claim, standing, engine.clock, ending);
    return true;
  });

const fill = async ({ parties, project, engine, halt }: CopyRun, part: PartWriter): Promise<number> => {
  let bytes = 0;
  try {
    for await (const { id, json } of inOrderOfNames(engine.readAuthUsers(parties.tenant, project, halt.reading))) {
      part.user(id, json);
      bytes += json.length;
      await part.drain();
    }
    return bytes;
  } catch (error) {
    const meaning = halt.explain(error);
    if (meaning !== undefined) throw meaning;
    throw new JobFailure('BACKUP_TIMEOUT', 'The users of Firebase Authentication could not be read in the time of one worker');
  }
};
