import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { enqueue } from '../../event/index.ts';
import { after, type Change, iso, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import { assertNotLeaving, notLeaving } from '../../project/index.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { addRunningVerification, verificationSeconds } from '../model/verification-capacity.ts';

type Depth = NonNullable<BackupRecord['verification']>['depth'];

/** Starts the verification of a completed backup. Its findings are stored on the record. */
export const startVerification = (
  tenant: Tenant,
  { backup, depth, now }: { readonly backup: BackupRecord; readonly depth: Depth; readonly now: Date },
): { backup: BackupRecord; change: Change } => {
  const { id, status, verification: previous, projectId } = backup;
  if (status !== 'completed')
    throw new ApiError('CONFLICT', `Only a completed backup can be verified. This one is ${status}`, { status });
  assertNotLeaving(backup);
  if (previous?.status === 'running' && previous.checkedAt > iso(after(now, -verificationSeconds)))
    throw new ApiError('CONFLICT', 'A verification of this backup is running', { depth: previous.depth });
  const verification = { status: 'running', depth, checkedAt: iso(now), objects: 0, percent: 0, findings: [] } as const;
  return {
    backup: { ...backup, verification: { ...verification, findings: [] } },
    change: {
      writes: [
        set(
          backupKey.backup(tenant, id),
          { verification },
          { expected: { status, verification: previous, ...notLeaving }, onConditionFailed: () => new StaleReadError() },
        ),
        addRunningVerification(tenant, id, now),
        enqueue(tenant, { kind: 'start-verification', backupId: id }, now),
      ],
      audit: [auditNote(tenant, { type: 'backup', id, details: { projectId, depth } })],
    },
  };
};
