/** Copies the users of Firebase Authentication in one part: each run lists them from the beginning. */
import { JobFailure } from '../../job/index.ts';
import { type PartWriter, sortUsers, withPart } from '../../stored-backup/index.ts';
import { type CopyRun, withCopyHeartbeat } from './copy-run.ts';
import { type Claim, checkpointShard } from './shard-progress.ts';

export const copyUsers = (run: Omit<CopyRun, 'reading' | 'parent'>, claim: Claim): Promise<boolean> =>
  withPart(run, claim, async (part) => {
    const originalSize = await withCopyHeartbeat(run, { claim, work: () => fill(run, part) });
    const stored = await withCopyHeartbeat(run, { claim, work: () => part.finish() });
    run.control.check();
    const result = { isDone: true, ...(stored && { part: { ...stored, originalSize, collections: '[]' } }) };
    await checkpointShard(run, { claim, progress: { documents: 0, reads: claim.shard.reads }, result });
    return true;
  });

const fill = async (
  { context, project, deps, control }: Omit<CopyRun, 'reading' | 'parent'>,
  part: PartWriter,
): Promise<number> => {
  let bytes = 0;
  try {
    for await (const { id, json } of sortUsers(deps.readAuthUsers(context.tenant, project, control.reading))) {
      part.user(id, json);
      bytes += json.length;
      await part.drain();
    }
    return bytes;
  } catch (error) {
    const cause = control.explain(error);
    if (cause !== undefined) throw cause;
    throw new JobFailure('BACKUP_TIMEOUT', 'The users of Firebase Authentication could not be read in the time of one worker');
  }
};
