/** Enumerations of backups and restores, without schemas, so that other models do not bundle those of both. */
/** Whether a backup may be built from captured changes, or must read its source. */
export const backupSources = ['auto', 'read'] as const;
export const backupTypes = ['full', 'incremental'] as const;
export const backupStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled', 'expired', 'deleted'] as const;
export const backupTriggers = ['manual', 'scheduled', 'safety', 'pitr-base', 'import'] as const;
export const verifyDepths = ['structure', 'sample', 'full'] as const;

export const restoreStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
/** In order. A failed or cancelled job keeps its last phase. */
export const restorePhases = [
  'Initializing',
  'Downloading',
  'Decrypting',
  'Decompressing',
  'Validating',
  'Restoring',
  'Finalizing',
  'Completed',
] as const;

export const exportFormats = ['ndjson', 'ndjson-typed', 'csv', 'parquet', 'google'] as const;
export const exportStatuses = restoreStatuses;
/** In order. A failed or cancelled job keeps its last phase. */
export const exportPhases = ['queued', 'building', 'planning', 'reading', 'writing', 'finishing', 'finished'] as const;
