/** The backup of a moment, which the service builds from captured changes unless it has done so before. */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiFailure, type DataOf, type InputOf } from '../../../shared/client/index.ts';
import { CliFailure } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { divergedText } from '../output/restore-view.ts';
import type { Context } from './context.ts';
import { watchJob } from './watch-job.ts';

interface MomentWanted {
  readonly projectId: string;
  readonly at: string;
  /** What has to be proven, if not everything. The backup has all that is proven. */
  readonly scope?: { readonly collections: readonly string[]; readonly includeSubcollections: boolean } | undefined;
}

/** Returns its id, once it can be read. A moment that is not proven for what is wanted is refused as a restore of it is. */
export const buildMoment = async (context: Context, { projectId, at, scope }: MomentWanted): Promise<string> => {
  const { output } = context;
  const started = await startOnceFree(context, {
    projectId,
    pointInTime: at,
    collections: scope && [...scope.collections],
    options: { buildOnly: true, includeSubcollections: scope?.includeSubcollections },
  });
  const { restoreJobId: id, backupId } = started;
  if (started.status === 'completed') output.note(`${backupId} was built for this moment before`);
  else output.note(`${id} builds ${backupId} for this moment from the captured changes. It writes to no database`);
  const job = started.status === 'completed' ? started : await watchJob(context, { kind: 'restore', id, showsProgress: true });
  if (job.status !== 'completed')
    throw new CliFailure(
      exitCodes.failed,
      `the backup of this moment was not built: ${job.error ? `${job.error.message} (${job.error.code})` : `${id} is ${job.status}`}`,
    );
  if (job.diverged) output.warn(divergedText(job.diverged));
  return backupId;
};

const askAgainMs = 5_000;

/** A project that has a backup or a restore is waited for, until Ctrl-C. */
const startOnceFree = async (
  { client: open, output, signal }: Context,
  body: InputOf<'POST /backups/restore'>['body'],
): Promise<Extract<DataOf<'POST /backups/restore'>, { readonly status: unknown }>> => {
  const client = await open();
  for (let isFirst = true; ; isFirst = false) {
    try {
      const started = await client.request('POST /backups/restore', { body });
      if (!('status' in started)) throw new Error('the service planned instead of building');
      return started;
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code !== 'JOB_IN_PROGRESS') throw error;
      if (isFirst) output.note(`${error.message}. The moment is built after that; Ctrl-C ends the wait`);
      await pause(askAgainMs, undefined, { signal });
    }
  }
};
