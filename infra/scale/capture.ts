/** A day of capturing changes: what it asks for beside the base backups that it begins with. */
import type { Worker } from '../../shared/contract/runtime/workers.ts';
import { estimateBackup } from './backup.ts';
import * as code from './code.ts';
import { type Estimate, gigabytes, type Pace } from './estimate.ts';
import type { Limit } from './limit.ts';
import { assumed, measured } from './measured.ts';
import { quota } from './quota.ts';

export type Precision = 'second' | 'interval';

export interface CaptureEstimate extends Estimate {
  readonly changesPerSecond: number;
}

const daySeconds = 24 * 3_600;
/** What captures may spend on counting (`shared/pitr/prove/check-coverage.ts`), and how often they want a new base (`shared/pitr/base/refresh-base.ts`). */
export const countReadsPerHour = 1_000;
export const baseEverySeconds = 24 * 3_600;
/** What a turn changes in one transaction: the state of the project, where it goes on, the batch and an event of it. */
const turnWriteUnits = 2 * (assumed.jobRecordKilobytes + 3);
/** What of its time a worker listens before another takes its place, and how often it has the source tell the time (`shared/pitr/capture/continuous-capture.ts`). */
export const listenShare = 0.7;
export const askSeconds = 20;

const { memoryMegabytes: megabytes = code.usualMegabytes }: Worker = code.workers.capture;

/** `seconds` is how long a write waits, at most, until it can be restored. */
export const estimateCapture = (documents: number, precision: Precision): CaptureEstimate => {
  const changes = documents * assumed.changedADay;
  const turns = daySeconds / code.captureIntervalSeconds;
  const { timeoutSeconds } = code.workers.capture;
  const isListening = precision === 'second';
  // Who listens is there all day; who comes once an interval is there for as long as a turn takes.
  const turnSeconds = assumed.stepSeconds + changes / turns / measured.packedPerSecond;
  const workSeconds = isListening ? daySeconds : turns * turnSeconds;
  const invocations = isListening ? daySeconds / (listenShare * timeoutSeconds) : turns;
  const asked = isListening ? daySeconds / askSeconds : 0;
  const counting = Math.min(countReadsPerHour, documents / code.countedPerRead) * 24;
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
      // Sent, received and removed.
      messages: 3 * (turns + invocations),
    },
    sourceDollars: (changes + turns + asked + counting) * code.usdPerRead,
  };
};

export const captureLimits = (pace: Pace): readonly Limit[] => [
  {
    name: `${code.baseMaxMicros / 60_000_000} minutes for the first base`,
    most: code.baseMaxMicros / 1_000_000,
    used: (documents) => estimateBackup(documents, pace).seconds,
    remedy: 'none but a faster source or more copies at once (`copiesMax`): changes of longer ago are no longer told',
  },
  {
    name: 'changes a second of one worker',
    most: measured.packedPerSecond * Math.min(1, megabytes / quota.coreMegabytes),
    used: (documents) => estimateCapture(documents, 'second').changesPerSecond,
    remedy: 'more memory for `workers.capture`, up to a core',
  },
];
