import { SourceError } from '../../firestore/index.ts';
import { JobEndedError } from '../../job/index.ts';
import { bestEffort } from '../../platform/index.ts';
import { withShardHeartbeat } from '../run/shard-run.ts';
import { DocumentWriter } from './document-writer.ts';
import { recordWritesAfterEnd } from './record-writes-after-end.ts';
import type { WriteClaim, WriteRun } from './write-progress.ts';
import { WriterShutdown } from './writer-shutdown.ts';

/** Writes the journal's documents of a range as the backup has them; those it lacks are deleted. False if another run must continue. */
export const writeDocuments = async (run: WriteRun, claim: WriteClaim): Promise<boolean> => {
  const { control } = run;
  const shutdown = new WriterShutdown(control);
  const writer = new DocumentWriter(run, claim, shutdown.signal);
  const write = async (): Promise<boolean> => {
    try {
      return await writer.all();
    } catch (error) {
      await shutdown.now(writer.writers);
      await writer.settled();
      const cause = control.explain(error);
      if (cause instanceof JobEndedError)
        await bestEffort('count the writes after the end', recordWritesAfterEnd(run, claim, writer.unreported));
      if (cause !== undefined && !isQuotaExceeded(cause)) throw cause;
      await writer.recordStall();
      return false;
    }
  };
  try {
    return await withShardHeartbeat(run, write);
  } finally {
    shutdown.close();
  }
};

const isQuotaExceeded = (error: unknown): boolean => error instanceof SourceError && error.code === 'WRITE_QUOTA_EXCEEDED';
