/** The constants of the code that the model uses, imported from where they are defined. */

export { pageListedBytes } from '../../shared/archive/page/index-writer.ts';
export {
  leafBodyBytes,
  maxManifestBytes,
  maxManifestObjects,
  maxManifestPages,
  pageSegments,
} from '../../shared/archive/primitives/format-limits.ts';
export { partBytesMax } from '../../shared/backup/copy/copy-documents.ts';
export { listsMaxBytes } from '../../shared/backup/start/backup-request.ts';
export { rangesMax } from '../../shared/backup/steps/plan-backup.ts';
export * from '../../shared/contract/limits.ts';
export { usdPerDelete, usdPerRead, usdPerWrite } from '../../shared/contract/list-prices.ts';
export { workers } from '../../shared/contract/runtime/workers.ts';
export { partBytes as uploadPartBytes } from '../../shared/destination/open/open-store.ts';
export { countedPerRead } from '../../shared/firestore/grpc/read-billing.ts';
export { usualDocumentsPerRange } from '../../shared/firestore/read/plan-ranges.ts';
export { firstPerSecond, mostPerSecond, rampFactor, rampMs } from '../../shared/firestore/write/rate-ramp.ts';
export { checkIntervalMs, reportIntervalMs, reportShare } from '../../shared/job/heartbeat.ts';
export { startMaxMicros as baseMaxMicros } from '../../shared/pitr/base/base-backup.ts';
export { checksPerDay } from '../../shared/pitr/budget/allowance.ts';
export { checkReadsOf } from '../../shared/pitr/budget/forecast-reads.ts';
export { shardRecords, shardsMax } from '../../shared/restore/scope/split-into-shards.ts';
export { checkpointMax } from '../../shared/restore/write/checkpoint-size.ts';
export { sealConcurrency } from '../../shared/stored-backup/write/write-manifest.ts';
export { stepConcurrency, usualConcurrency } from '../part/function/concurrency.ts';
export { queueNames, workQueueSpecs } from '../part/trigger/work-queue-specs.ts';
export { copiesMax, workflowTimeoutSeconds as backupWorkflowSeconds } from '../workflow/backup.ts';
export { workflowTimeoutSeconds as purgeWorkflowSeconds } from '../workflow/purge.ts';
export { workflowTimeoutSeconds as restoreWorkflowSeconds, writersMax } from '../workflow/restore.ts';
export { waitsMax } from '../workflow/step.ts';
export { workflowTimeoutSeconds as verifyWorkflowSeconds } from '../workflow/verify.ts';

/** The default of `infra/part/function/lambda-function.ts`. */
export const usualMegabytes = 512;
