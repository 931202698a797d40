import type { PitrRecord } from '../model/record.ts';
import { missingAt } from '../point/missing-coverage.ts';
import { baseFor } from '../timeline/windows.ts';

/** Why a backup that starts now would read the source although changes are captured; undefined if it is likely to be built from them. */
export const whyNotBuilt = (pitr: PitrRecord): string | undefined => {
  const { status, capturedTo } = pitr;
  if (status !== 'active' || capturedTo === null) return 'the capture of changes waits for its base backup';
  const base = baseFor(pitr, capturedTo);
  if (!base) return 'the capture of changes waits for a new base backup';
  if (base.isDamaged) return `the base backup ${base.backupId} is damaged`;
  return missingAt(pitr, capturedTo)[0]?.reason;
};
