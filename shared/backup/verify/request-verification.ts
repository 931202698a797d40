import { ApiError } from '../../contract/errors.ts';
import { enqueue } from '../../event/index.ts';
import { after, type Change, iso, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import { assertNotLeaving } from '../../project/index.ts';
import { noteVerifier, verificationSeconds } from '../model/concurrency-limits.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';

type Depth = NonNullable<BackupRecord['verification']>['depth'];

/** Asks for a check of a completed backup, one at a time; what it finds comes onto the record. */
export const startVerification = (
  tenant: Tenant,
  backup: BackupRecord,
  depth: Depth,
  now: Date,
): { backup: BackupRecord; change: Change } => {
  const { id, status, verification: was, projectId } = backup;
  if (status !== 'completed')
    throw new ApiError('CONFLICT', `Only a completed backup can be verified; this one is ${status}`, { status });
  assertNotLeaving(backup);
  if (was?.status === 'running' && was.checkedAt > iso(after(now, -verificationSeconds)))
    throw new ApiError('CONFLICT', 'A verification of this backup is running', { depth: was.depth });
  const verification = { status: 'running', depth, checkedAt: iso(now), objects: 0, findings: [] } as const;
  return {
    backup: { ...backup, verification: { ...verification, findings: [] } },
    change: {
      writes: [
        set(
          backupKey.backup(tenant, id),
          { verification },
          { expected: { status, verification: was, leaving: undefined }, onConditionFailed: () => new StaleReadError() },
        ),
        noteVerifier(tenant, id, now),
        enqueue(tenant, { kind: 'start-verification', backupId: id }, now),
      ],
      audit: [{ scope: tenant.organizationId, resource: { type: 'backup', id }, details: { projectId, depth } }],
    },
  };
};
