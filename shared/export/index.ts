/** Exports of backups and moments as files in a bucket. README.md is the guide; `shared/export-format` writes the formats. */
export { listExportFiles, readExportContent } from './download/download-export.ts';
export { cancelExport } from './end/cancel-export.ts';
export { cleanUpExport } from './end/clean-up-export.ts';
export { exportJobs } from './end/export-jobs.ts';
export { purgeExports } from './end/purge-exports.ts';
export { exportCleanUpDeps, exportDeps } from './export-deps.ts';
export { exportData, isActiveExport } from './model/export-view.ts';
export { getExport } from './model/get-export.ts';
export { type ExportRecord, exportKey, exportPrefix } from './model/record.ts';
export { assertExportCapacity, countRunningExports, exportMarks, exportUsing } from './model/running-exports.ts';
export { advanceExport, type ExportProgress, isStaleStep } from './run/advance-export.ts';
export { exportShard } from './run/export-shard.ts';
export { answerExportStep, ExportShardStep, ExportStep } from './run/export-steps.ts';
export { readExportRequest } from './start/export-request.ts';
export { listExports } from './start/list-exports.ts';
export { planExport } from './start/plan-export.ts';
export { resumeExport } from './start/resume-export.ts';
export { startExport } from './start/start-export.ts';
