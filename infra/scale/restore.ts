/** Estimates a full restore: into an empty database, or over one with as many documents, all of which are journalled. */
import { archiveSize } from './archive.ts';
import * as code from './code.ts';
import { type Estimate, gigabytes, type Pace } from './estimate.ts';
import { assumed, checkpointWriteUnits, measured } from './measured.ts';

export type RestoreKind = 'empty' | 'over';

interface RestoreEstimate extends Estimate {
  readonly shards: number;
  readonly runs: number;
  readonly checkSeconds: number;
  readonly writeSeconds: number;
}

export const estimateRestore = (documents: number, pace: Pace, kind: RestoreKind): RestoreEstimate => {
  const perShard = Math.max(code.shardRecords, Math.ceil(documents / (code.shardsMax - 1)));
  const shards = Math.max(1, Math.ceil(documents / perShard));
  const writers = Math.min(code.writersMax, shards);
  const isOver = kind === 'over';
  const comparedPerSecond = isOver
    ? Math.min(measured.streamPerSecond[pace], measured.comparedPerSecond)
    : measured.comparedPerSecond;
  const checking = documents / comparedPerSecond + shards * assumed.stepSeconds;
  const writeSeconds = Math.max(secondsToWrite(documents), documents / writers / measured.writtenPerSecond);
  const writing = writers * writeSeconds + shards * assumed.stepSeconds;
  const runSeconds = assumed.runShare * code.workers.restoreWrite.timeoutSeconds;
  const runs = shards * Math.max(1, Math.ceil((writers * writeSeconds) / shards / runSeconds));
  // The journal has the previous content of each document, or that it did not exist.
  const journal = archiveSize(isOver ? documents : documents / 10, { partsMin: shards });
  const journalBytes = documents * measured.storedBytes * (isOver ? 1 : measured.incrementalShare);
  const looks = (checking + writing) / (code.checkIntervalMs / 1_000);
  const tells = 1 / code.reportShare + checking / (code.reportIntervalMs / 1_000) + writing / assumed.sliceSeconds;
  const leaves = Math.ceil((documents * measured.documentBytes) / code.leafBodyBytes);
  const checkSeconds = checking / writers;
  return {
    shards,
    runs,
    checkSeconds,
    writeSeconds,
    seconds: 4 * assumed.stepSeconds + checkSeconds + writeSeconds,
    counts: {
      gigabyteSeconds: (checking + writing + 3 * assumed.stepSeconds) * gigabytes(code.workers.restoreWrite.memoryMegabytes),
      invocations: shards + runs + 3,
      transitions: 10 + shards * 8 + (runs - shards) * 2,
      // Each writer requests its share of the write rate about once a second.
      writeUnits:
        assumed.jobWriteUnits +
        (tells + 2 * journal.parts + 2 * runs) * checkpointWriteUnits +
        writing +
        shards * 2 * assumed.shardRecordKilobytes,
      readUnits: assumed.jobReadUnits + looks + tells,
      puts: Math.ceil(journalBytes / code.uploadPartBytes) + 2 * journal.objects + 2,
      // Names and contents are read once to compare and once to write, plus the journal, which lists what to write.
      gets: 4 * leaves + 2 * journal.leaves + journal.objects,
      keyCalls: 2 * (shards + runs) + 3,
    },
    sourceDollars: documents * code.usdPerWrite + (isOver ? documents * (1 + 1 / code.countedPerRead) * code.usdPerRead : 0),
  };
};

/** The 500/50/5 rule: 50 % more every five minutes, up to the maximum of a database. */
export const secondsToWrite = (documents: number): number => {
  const stepSeconds = code.rampMs / 1_000;
  let [left, seconds] = [documents, 0];
  for (let perSecond = code.firstPerSecond; ; perSecond *= code.rampFactor, seconds += stepSeconds) {
    const rate = Math.min(perSecond, code.mostPerSecond);
    if (left <= rate * stepSeconds || rate === code.mostPerSecond) return seconds + left / rate;
    left -= rate * stepSeconds;
  }
};
