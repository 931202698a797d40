/** The limits of one job: time, archive format, workflow and table. */
import { type BackupKind, estimateBackup } from './backup.ts';
import * as code from './code.ts';
import type { Pace } from './estimate.ts';
import { loopHistoryEvents } from './history.ts';
import type { Limit } from './limit.ts';
import { statePayload } from './payload.ts';
import { quota } from './quota.ts';
import { estimateRestore, type RestoreKind } from './restore.ts';

export const backupLimits = (pace: Pace, kind: BackupKind): readonly Limit[] => {
  const of = (documents: number) => estimateBackup(documents, pace, kind);
  return [
    {
      name: `${code.backupTimeoutMinutes} minutes, the default timeout of a backup`,
      most: code.backupTimeoutMinutes * 60,
      used: (documents) => of(documents).seconds,
      isSetting: true,
      remedy: `set \`backupTimeoutMinutes\` of the project, up to ${code.backupTimeoutMinutesMax}`,
    },
    {
      name: 'one hour, the default version retention of a database',
      most: quota.sourceKeptSeconds,
      used: (documents) => of(documents).seconds,
      isSetting: true,
      remedy: 'enable point-in-time recovery of the database at Google: it keeps 7 days',
    },
    {
      name: `${code.backupTimeoutMinutesMax} minutes, the maximum timeout of a backup`,
      most: code.backupTimeoutMinutesMax * 60,
      used: (documents) => of(documents).seconds,
      remedy: `more concurrent copies: \`copiesMax\` (${code.copiesMax}) and \`stepConcurrency\`; or back up fewer collections at a time`,
    },
    {
      name: 'bytes of a manifest',
      most: code.maxManifestBytes,
      used: (documents) => of(documents).stored.manifestBytes,
      remedy: 'back up fewer collections at a time, or take a full backup where an incremental one does not fit',
    },
    {
      name: 'objects of a manifest',
      most: code.maxManifestObjects,
      used: (documents) => of(documents).stored.objects,
      remedy: 'larger parts: `partBytesMax`',
    },
    {
      name: 'pages of a manifest',
      most: code.maxManifestPages,
      used: (documents) => of(documents).stored.pages,
      remedy: 'back up fewer collections at a time',
    },
    {
      name: 'time of the seal step',
      most: code.workers.backupSeal.timeoutSeconds,
      used: (documents) => of(documents).sealSeconds,
      remedy: 'larger parts: `partBytesMax`',
    },
    ...workflowLimits(
      (documents) => of(documents).shards,
      (documents) => of(documents).runs,
    ),
  ];
};

export const restoreLimits = (pace: Pace, kind: RestoreKind): readonly Limit[] => {
  const of = (documents: number) => estimateRestore(documents, pace, kind);
  return [
    {
      name: `${code.restoreWorkflowSeconds / 86_400} days, the timeout of a restore’s workflow`,
      most: code.restoreWorkflowSeconds,
      used: (documents) => of(documents).seconds,
      remedy: 'resume it (documents already written are skipped), or restore fewer collections at a time',
    },
    ...workflowLimits(
      (documents) => of(documents).shards,
      (documents) => of(documents).runs,
    ),
  ];
};

/** All runs of a shard are one execution with its own history. */
const workflowLimits = (shards: (documents: number) => number, runs: (documents: number) => number): readonly Limit[] => [
  {
    name: 'payload of a workflow state',
    most: quota.stateBytes,
    used: (documents) => statePayload(shards(documents)),
    remedy: 'fewer ranges',
  },
  {
    name: 'history of the execution of one range',
    most: quota.historyEvents,
    used: (documents) => loopHistoryEvents(Math.ceil(runs(documents) / shards(documents)), code.waitsMax),
    remedy: 'more ranges',
  },
];
