/** Estimates a day of change capture, without its base backups. */
import { captureListenShare, consistentPointEveryMs, pastReadsPerHour } from '../../shared/contract/limits.ts';
import type { Worker } from '../../shared/contract/runtime/workers.ts';
import { estimateBackup } from './backup.ts';
import * as code from './code.ts';
import { type Estimate, gigabytes, type Pace } from './estimate.ts';
import type { Limit } from './limit.ts';
import { assumed, measured } from './measured.ts';
import { quota } from './quota.ts';

export type Precision = 'second' | 'interval';

interface CaptureEstimate extends Estimate {
  readonly changesPerSecond: number;
}

const daySeconds = 24 * 3_600;
/** The transaction of a cycle: project state, resume position, batch and event. */
const turnWriteUnits = 2 * (assumed.jobRecordKilobytes + 3);

const { memoryMegabytes: megabytes = code.usualMegabytes }: Worker = code.workers.capture;

/** `seconds`: the longest time until a write can be restored. */
export const estimateCapture = (documents: number, precision: Precision): CaptureEstimate => {
  const changes = documents * assumed.changedADay;
  const turns = daySeconds / code.captureIntervalSeconds;
  const { timeoutSeconds } = code.workers.capture;
  const isListening = precision === 'second';
  // A listening worker runs all day; otherwise a worker runs once per interval for the length of a cycle.
  const turnSeconds = assumed.stepSeconds + changes / turns / measured.packedPerSecond;
  const workSeconds = isListening ? daySeconds : turns * turnSeconds;
  const invocations = isListening ? daySeconds / (captureListenShare * timeoutSeconds) : turns;
  const asked = isListening ? daySeconds / (consistentPointEveryMs / 1_000) : 0;
  // Root collections are listed at every second.
  const listed = isListening ? daySeconds : 0;
  const counting = code.checksPerDay * code.checkReadsOf('standard', documents);
  return {
    changesPerSecond: changes / daySeconds,
    seconds: code.captureIntervalSeconds + turnSeconds,
    counts: {
      gigabyteSeconds: workSeconds * gigabytes(megabytes),
      invocations,
      transitions: 0,
      writeUnits: turns * turnWriteUnits,
      readUnits: turns * 4,
      puts: turns + Math.ceil((changes * measured.storedBytes) / code.uploadPartBytes),
      gets: 0,
      keyCalls: turns,
      // Sent, received and deleted.
      messages: 3 * (turns + invocations),
    },
    sourceDollars: (changes + turns + asked + listed + counting + provingReads(documents, precision)) * code.usdPerRead,
  };
};

/** A day of the rolling audit. Bases and backups that are built from changes read nothing. */
export const auditDollars = (documents: number, auditDays: number): number => (documents / auditDays) * code.usdPerRead;

/** Each second of an interruption is counted. With precision `interval`, the moment of the daily base is, and the capture before it. */
export const provingReads = (documents: number, precision: Precision): number => {
  const count = Math.max(1, documents / code.countedPerRead);
  return precision === 'second' ? Math.min(pastReadsPerHour, assumed.interruptedSecondsADay * count) : 2 * count;
};

export const captureLimits = (pace: Pace): readonly Limit[] => [
  {
    name: `${code.baseMaxMicros / 60_000_000} minutes for the first base`,
    most: code.baseMaxMicros / 1_000_000,
    used: (documents) => estimateBackup(documents, pace).seconds,
    remedy: 'none, except a faster source or more concurrent copies (`copiesMax`): older changes are no longer available',
  },
  {
    name: 'changes per second of one worker',
    most: measured.packedPerSecond * Math.min(1, megabytes / quota.coreMegabytes),
    used: (documents) => estimateCapture(documents, 'second').changesPerSecond,
    remedy: 'more memory for `workers.capture`, up to one core',
  },
];
