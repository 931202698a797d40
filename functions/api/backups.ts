import { cancelBackup } from '../../shared/backup/index.ts';
import { backups } from '../../shared/contract/endpoints/backups.ts';
import { handle } from '../../shared/http/index.ts';
import { timelineOf } from '../../shared/job/index.ts';
import { refuseEnding } from '../../shared/pitr/index.ts';
import type { Tenant } from '../../shared/platform/index.ts';
import { readProjectNames } from '../../shared/project/index.ts';
import { closeUndoWindow } from '../../shared/restore/index.ts';
import { findProven } from '../../shared/restore-test/index.ts';
import {
  acknowledgeAnomaly,
  assertVerificationCapacity,
  type BackupRecord,
  backupData,
  deleteBackup,
  findDependentBackup,
  findOtherOwner,
  listBackups,
  readBackup,
  startVerification,
} from '../../shared/stored-backup/index.ts';

export const list = handle(backups.list, async ({ tenant, query, page, now }) => {
  const { backups: found, next } = await listBackups(tenant, { filter: query, page, now });
  return { items: found.map(await viewOf(tenant, found)), next };
});

export const get = handle(backups.get, async ({ tenant, params }) => ({
  data: await shown(tenant, await readBackup(tenant, params.backupId)),
}));

export const timeline = handle(backups.timeline, async ({ tenant, params }) => ({
  data: { entries: [...timelineOf(await readBackup(tenant, params.backupId))] },
}));

/** A restore test of an earlier version that wrote nothing is not shown as one. */
const viewOf = async (tenant: Tenant, found: readonly BackupRecord[]) => {
  const projectIds = found.map(({ projectId }) => projectId);
  const [names, proven] = await Promise.all([readProjectNames(tenant, projectIds), findProven(tenant, found)]);
  return (backup: BackupRecord) =>
    backupData({ ...backup, restoreTestedAt: proven.has(backup.id) ? backup.restoreTestedAt : null }, names);
};

const shown = async (tenant: Tenant, backup: BackupRecord) => (await viewOf(tenant, [backup]))(backup);

export const remove = handle(backups.remove, async ({ tenant, params, now }) => {
  const backup = await readBackup(tenant, params.backupId);
  await refuseEnding(tenant, backup);
  const { writes, audit } = deleteBackup(tenant, { backup, child: await findDependentBackup(tenant, backup), now });
  const objects = (await findOtherOwner(tenant, backup))
    ? 'Its objects are kept, because another backup shares them'
    : 'Its objects are being deleted; the audit log reports any that must be kept';
  return {
    message: `The backup was deleted. ${objects}`,
    change: { writes: [...writes, ...(await closeUndoWindow(tenant, backup))], audit },
  };
});

export const cancel = handle(backups.cancel, async (call) => {
  const backup = await readBackup(call.tenant, call.params.backupId);
  const { backup: cancelled, change } = await cancelBackup(call, backup, call.now);
  return { data: await shown(call.tenant, cancelled), change };
});

export const verify = handle(backups.verify, async ({ tenant, params, body, now }) => {
  const { backup, change } = startVerification(tenant, {
    backup: await readBackup(tenant, params.backupId),
    depth: body.depth,
    now,
  });
  await assertVerificationCapacity(tenant, now);
  return { data: await shown(tenant, backup), change };
});

export const acknowledge = handle(backups.acknowledge, async ({ tenant, params, actor, body, now }) => {
  const found = await readBackup(tenant, params.backupId);
  const by = actor;
  const { backup, change } = await acknowledgeAnomaly(tenant, { backup: found, acknowledgement: { by, note: body.note }, now });
  return { data: await shown(tenant, backup), change };
});
