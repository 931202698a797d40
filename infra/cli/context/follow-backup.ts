/** What happens after a backup has started. */
import { CliFailure } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { backupSummary } from '../output/backup-view.ts';
import { formatNames } from '../output/format.ts';
import type { Context } from './context.ts';
import type { Backup } from './find-resource.ts';
import { type WatchOptions, watchJob } from './watch-job.ts';

/** Prints a started backup, or waits for its end. */
export const followBackup = async (context: Context, started: Backup, { watch, wait }: WatchOptions): Promise<void> => {
  const { output } = context;
  if (!watch && !wait) {
    output.result(started, started.id, `Backup ${started.id} started`);
    if (!output.isJson) output.note(`Watch it: bms backup watch ${started.id}`);
    return;
  }
  const ended = await watchJob(context, { kind: 'backup', id: started.id, showsProgress: watch === true });
  const { id, status, error } = ended;
  if (status === 'completed') {
    output.result(ended, id, backupSummary(ended));
    if (ended.unknownCollections.length > 0) output.warn(`not in the source: ${formatNames(ended.unknownCollections)}`);
    return;
  }
  if (output.isJson) output.json(ended);
  throw new CliFailure(exitCodes.failed, `backup ${id} ${status}${error ? `: ${error.message} (${error.code})` : ''}`);
};
