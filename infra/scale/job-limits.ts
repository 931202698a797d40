/** What bounds one job, as a list: time, the format, the workflow, the table. */
import { type BackupKind, estimateBackup } from './backup.ts';
import * as code from './code.ts';
import type { Pace } from './estimate.ts';
import { loopEvents } from './history.ts';
import type { Limit } from './limit.ts';
import { statePayload } from './payload.ts';
import { quota } from './quota.ts';
import { estimateRestore, type RestoreKind } from './restore.ts';

export const backupLimits = (pace: Pace, kind: BackupKind): readonly Limit[] => {
  const of = (documents: number) => estimateBackup(documents, pace, kind);
  return [
    {
      name: `${code.backupTimeoutMinutes} minutes, what a backup has unless said`,
      most: code.backupTimeoutMinutes * 60,
      used: (documents) => of(documents).seconds,
      isSetting: true,
      remedy: `set \`backupTimeoutMinutes\` of the project, up to ${code.backupTimeoutMinutesMax}`,
    },
    {
      name: 'the hour that a database keeps',
      most: quota.sourceKeptSeconds,
      used: (documents) => of(documents).seconds,
      isSetting: true,
      remedy: 'enable point-in-time recovery of the database at Google: then it keeps 7 days',
    },
    {
      name: `${code.backupTimeoutMinutesMax} minutes, the most of a backup`,
      most: code.backupTimeoutMinutesMax * 60,
      used: (documents) => of(documents).seconds,
      remedy: `more copies at once: \`copiesMax\` (${code.copiesMax}) and \`stepConcurrency\`; or backups of some collections each`,
    },
    {
      name: 'bytes of a manifest',
      most: code.maxManifestBytes,
      used: (documents) => of(documents).stored.manifestBytes,
      remedy: 'backups of some collections each; a full one where an incremental one does not fit',
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
      remedy: 'backups of some collections each',
    },
    {
      name: 'time of the step that seals',
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
      name: `${code.restoreWorkflowSeconds / 86_400} days of a restore’s workflow`,
      most: code.restoreWorkflowSeconds,
      used: (documents) => of(documents).seconds,
      remedy: 'resume it: what is written is not written again; or restore some collections at a time',
    },
    ...workflowLimits(
      (documents) => of(documents).shards,
      (documents) => of(documents).runs,
    ),
  ];
};

/** Runs of one shard are one execution, with a history of its own. */
const workflowLimits = (shards: (documents: number) => number, runs: (documents: number) => number): readonly Limit[] => [
  {
    name: 'what a workflow hands on',
    most: quota.stateBytes,
    used: (documents) => statePayload(shards(documents)),
    remedy: 'fewer ranges',
  },
  {
    name: 'history of the execution of one range',
    most: quota.historyEvents,
    used: (documents) => loopEvents(Math.ceil(runs(documents) / shards(documents)), code.waitsMax),
    remedy: 'more ranges',
  },
];
