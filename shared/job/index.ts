export { deleteWorkItems } from './delete-work-items.ts';
export { withHeartbeat } from './heartbeat.ts';
export { assertJobCapacity, countRunningJobs, runningItemsMax } from './job-capacity.ts';
export { corruptionFailure, failureOf, JobFailure, throwAsUploadError, UploadError } from './job-failure.ts';
export { listMatching } from './list-matching.ts';
export { markMoving } from './mark-moving.ts';
export { deriveMaskKey, deriveSealKey, maskSaltExpiry, maskSaltKey, newMaskSaltItem } from './mask-salt.ts';
export {
  type FailingRuns,
  judgeFailedRun,
  outageFailure,
  type Patience,
  shownWait,
  type WaitingRecord,
  waitBegins,
  waitContinues,
  waitEnds,
} from './outage.ts';
export { decilesPassed, decilesUpTo } from './progress-deciles.ts';
export { type PurgeOptions, purgeObjects } from './purge.ts';
export {
  decideReaping,
  type Execution,
  type JobWorkflow,
  jobWorkflow,
  type ReapedKind,
  type RunningJobItem,
  reapJob,
} from './reap-job.ts';
export { reapJobs, reapRunningJobs } from './reap-jobs.ts';
export { RunControl } from './run-control.ts';
export { answerStep, type Job, reasonOf, runStep } from './run-step.ts';
export {
  type Advance,
  assertOrganizationActive,
  assertRunning,
  checkRunningJob,
  JobEndedError,
  type JobRecord,
  type Reason,
  updateRunningJob,
} from './running-job.ts';
export { stepHandler } from './step-handler.ts';
export { StoreCalls } from './store-calls.ts';
export { type JobEvent, phaseEntry, timelineAppend, timelineOf } from './timeline.ts';
export { isReplacedBy, type Wait, WaitTracker, type WatchedCalls, waitReason, withoutWait } from './wait-tracker.ts';
export { watchCalls } from './watch-calls.ts';
export { workPartition } from './work-partition.ts';
export { wrapStore } from './wrap-store.ts';
