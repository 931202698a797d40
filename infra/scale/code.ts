/**
 * The numbers of the code that the model reckons with, read where they stand: who changes one changes the model, and a test tells that
 * the page is to be made anew.
 */

export { pageListedBytes } from '../../shared/archive/index-writer.ts';
export {
  leafBodyBytes,
  maxManifestBytes,
  maxManifestObjects,
  maxManifestPages,
  pageSegments,
} from '../../shared/archive/limit.ts';
export { partBytesMax } from '../../shared/backup/copy-documents.ts';
export { lanes as sealLanes } from '../../shared/backup/manifest-sealing.ts';
export { countedPerRead, rangesMax } from '../../shared/backup/planning.ts';
export { listsMaxBytes } from '../../shared/backup/request.ts';
export * from '../../shared/contract/limits.ts';
export { workers } from '../../shared/contract/workers.ts';
export { partBytes as uploadPartBytes } from '../../shared/destination/open.ts';
export { usualDocumentsPerRange } from '../../shared/firestore/plan.ts';
export { firstPerSecond, mostPerSecond, rampFactor, rampMs } from '../../shared/firestore/write-rate.ts';
export { lookEveryMs, tellEveryMs, tellShare } from '../../shared/job/pulse.ts';
export { startMaxMicros as baseMaxMicros } from '../../shared/pitr/base.ts';
export { cutRecords, cutsMax } from '../../shared/restore/cut.ts';
export { sliceMax } from '../../shared/restore/write-slice.ts';
export { stepConcurrency, usualConcurrency } from '../part/concurrency.ts';
export { queueNames, queues } from '../part/work-queues.ts';
export { copiesMax, workflowTimeoutSeconds as backupWorkflowSeconds } from '../workflow/backup.ts';
export { workflowTimeoutSeconds as purgeWorkflowSeconds } from '../workflow/purge.ts';
export { lanesMax, workflowTimeoutSeconds as restoreWorkflowSeconds } from '../workflow/restore.ts';
export { waitsMax } from '../workflow/step.ts';
export { workflowTimeoutSeconds as verifyWorkflowSeconds } from '../workflow/verify.ts';

/** What a function has unless its row says otherwise; `infra/part/fn.ts` gives it. */
export const usualMegabytes = 512;
