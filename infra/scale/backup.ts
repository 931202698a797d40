/** Estimates a full or incremental backup: duration, requests and cost. */
import { backupDefinition, backupSteps } from '../workflow/backup.ts';
import { type ArchiveSize, archiveSize } from './archive.ts';
import * as code from './code.ts';
import { type Estimate, gigabytes, type Pace } from './estimate.ts';
import { assumed, checkpointWriteUnits, measured } from './measured.ts';

export type BackupKind = 'full' | 'incremental';

interface BackupEstimate extends Estimate {
  readonly shards: number;
  readonly runs: number;
  readonly stored: ArchiveSize;
  readonly sealSeconds: number;
}

/** Firestore cannot list changes, so both kinds read everything. */
export const estimateBackup = (documents: number, pace: Pace, kind: BackupKind = 'full'): BackupEstimate => {
  const perShard = Math.max(code.usualDocumentsPerRange, Math.ceil(documents / code.rangesMax));
  const shards = Math.max(1, Math.ceil(documents / perShard));
  const perSecond = Math.min(measured.streamPerSecond[pace], measured.packedPerSecond);
  const shardSeconds = documents / shards / perSecond;
  const { timeoutSeconds, memoryMegabytes } = code.workers.backupCopy;
  const runs = shards * Math.max(1, Math.ceil(shardSeconds / (assumed.runShare * timeoutSeconds)));
  const isFull = kind === 'full';
  const changed = isFull ? 0 : documents * assumed.changedADay;
  const stored = archiveSize(documents, { partsMin: runs, changed });
  const copySeconds = documents / perSecond + runs * assumed.stepSeconds;
  const sealSeconds = assumed.stepSeconds + (stored.objects * assumed.bucketAnswerSeconds) / code.sealConcurrency;
  const waves = Math.ceil(shards / code.copiesMax);
  const looks = copySeconds / (code.checkIntervalMs / 1_000);
  const tells = Math.min(looks, 1 / code.reportShare + copySeconds / (code.reportIntervalMs / 1_000));
  const bytes = documents * measured.storedBytes * (isFull ? 1 : measured.incrementalShare);
  return {
    shards,
    runs,
    stored,
    sealSeconds,
    seconds: 2 * assumed.stepSeconds + waves * (shardSeconds + assumed.stepSeconds) + sealSeconds,
    counts: {
      gigabyteSeconds: (copySeconds + sealSeconds + assumed.stepSeconds) * gigabytes(memoryMegabytes),
      invocations: runs + 3,
      transitions: transitionsOf(shards, runs),
      writeUnits:
        assumed.jobWriteUnits +
        (tells + 2 * stored.parts) * checkpointWriteUnits +
        shards * 2 * assumed.shardRecordKilobytes +
        (2 * stored.manifestBytes) / 1_024,
      readUnits: assumed.jobReadUnits + looks + stored.parts,
      puts: Math.ceil(bytes / code.uploadPartBytes) + 2 * stored.objects + 2,
      // Names and times of the parent backup are fetched leaf by leaf.
      gets: stored.objects + 2 + (isFull ? 0 : stored.leaves),
      keyCalls: runs + 2,
    },
    sourceDollars: documents * (1 + 1 / code.countedPerRead) * code.usdPerRead,
  };
};

/** State transitions without failures: outside the map once, inside once per shard, and two for each further run. */
export const transitionsOf = (shards: number, runs = shards): number => {
  const step = { arn: '', timeoutSeconds: 1 };
  const steps = Object.fromEntries(backupSteps.map((name) => [name, step])) as Parameters<typeof backupDefinition>[0];
  const { States } = backupDefinition(steps);
  const entered = (states: object): number =>
    Object.keys(states).filter((name) => !/fail|given up/i.test(name) && name !== 'Ended').length;
  return 1 + entered(States) + shards * (1 + entered(States.Copy.ItemProcessor.States)) + (runs - shards) * 2;
};
