/** Writes what the journal names of a range: as the backup has it or, where the backup has nothing, by deleting it. */
import { SourceError } from '../../firestore/index.ts';
import { Heartbeat, JobEndedError } from '../../job/index.ts';
import { bestEffort } from '../../platform/index.ts';
import { lookAt } from '../model/running-restore.ts';
import { DocumentWriting } from './document-writer.ts';
import { recordLateWrites } from './late-writes.ts';
import type { WriteClaim, WriteRun } from './write-progress.ts';
import { WritersEnd } from './writer-shutdown.ts';

/** True if the range is done; false if another run is to go on. */
export const writeDocuments = async (run: WriteRun, claim: WriteClaim): Promise<boolean> => {
  const { halt, engine, parties, restore } = run;
  const end = new WritersEnd(halt);
  const writing = new DocumentWriting(run, claim, end.signal);
  const checkRunning = () => lookAt(parties.tenant, restore);
  const pulse = new Heartbeat({
    checkRunning,
    total: 0,
    control: halt,
    clock: engine.clock,
    unreported: () => 0,
    report: async () => undefined,
  });
  try {
    return await writing.all();
  } catch (error) {
    await end.now(writing.writers);
    await writing.isTold();
    const meaning = halt.explain(error);
    if (meaning instanceof JobEndedError)
      await bestEffort('count what was written last', recordLateWrites(run, claim, writing.untold));
    if (meaning !== undefined && !isQuota(meaning)) throw meaning;
    await writing.stall();
    return false;
  } finally {
    await pulse.stop();
    end.close();
  }
};

const isQuota = (error: unknown): boolean => error instanceof SourceError && error.code === 'WRITE_QUOTA_EXCEEDED';
