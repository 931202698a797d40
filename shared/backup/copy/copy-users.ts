/** Copies the users of Firebase Authentication, in one part: they are listed from the beginning each time. */

import { Heartbeat, JobFailure } from '../../job/index.ts';
import { beatOf, type CopyRun, withPart } from './copy-run.ts';
import type { PartWriter } from './part-writer.ts';
import { type Claim, checkpointShard } from './shard-progress.ts';
import { sortUsers } from './sort-users.ts';

export const copyUsers = (run: CopyRun, claim: Claim): Promise<boolean> =>
  withPart(run, claim, async (part) => {
    const { context, backup, deps, control } = run;
    const heartbeat = new Heartbeat({
      ...beatOf(run),
      unreported: () => 0,
      report: async () => undefined,
    });
    const originalSize = await fill(run, part).finally(() => heartbeat.stop());
    const stored = await part.finish();
    control.check();
    const standing = { documents: 0, reads: claim.shard.reads };
    const ending = { isDone: true, ...(stored && { part: { ...stored, originalSize, collections: '[]' } }) };
    await checkpointShard(context, backup.id, claim, standing, deps.clock, ending);
    return true;
  });

const fill = async ({ context, project, deps, control }: CopyRun, part: PartWriter): Promise<number> => {
  let bytes = 0;
  try {
    for await (const { id, json } of sortUsers(deps.readAuthUsers(context.tenant, project, control.reading))) {
      part.user(id, json);
      bytes += json.length;
      await part.drain();
    }
    return bytes;
  } catch (error) {
    const meaning = control.explain(error);
    if (meaning !== undefined) throw meaning;
    throw new JobFailure('BACKUP_TIMEOUT', 'The users of Firebase Authentication could not be read in the time of one worker');
  }
};
