export { answerCheck, cancelRun } from './api/change-run.ts';
export { createRestoreTest } from './api/create-restore-test.ts';
export { checkPlanInput } from './api/restore-test-input.ts';
export { startRuns } from './api/start-runs.ts';
export { deleteRestoreTest, updateRestoreTest } from './api/update-restore-test.ts';
export { readRunEvidence } from './evidence/read-evidence.ts';
export { type EvidenceReference, evidencePath, storeEvidence } from './evidence/store-evidence.ts';
export {
  isEnded as isRunEnded,
  listRestoreTests,
  listRuns,
  readRestoreTest,
  readRun,
  restoreTestsOf,
  runningTestIds,
} from './model/get-restore-test.ts';
export { restoreTestKind, whilePlanned } from './model/plan-writes.ts';
export { type RestoreTestRecord, type RunRecord, restoreTestKey } from './model/record.ts';
export { restoreTestData, runData } from './model/restore-test-view.ts';
export { purgeRestoreTests, syncAllRestoreTests, syncRestoreTest } from './plan/sync-restore-test.ts';
export { tickRestoreTest } from './plan/tick-restore-test.ts';
export { findProven } from './report/find-proven.ts';
export { readPeriod, tooLong } from './report/read-period.ts';
export { readReport } from './report/read-report.ts';
export {
  facts,
  grouped,
  makerText,
  projectSection,
  reportDocument,
  reportPage,
  reportPolicy,
  testSummary,
  time,
  verifySection,
} from './report/report-page.ts';
export { isInPeriod, type Period, reportPeriod } from './report/report-period.ts';
export { advanceRun, RunStep } from './run/advance-run.ts';
export { type RunDeps, runDeps } from './run/run-deps.ts';
export { testJobs } from './run/test-jobs.ts';
