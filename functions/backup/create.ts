/** Starts backups. Apart from the other endpoints of backups, which open no database. */
import {
  asIncrementalOf,
  assertBackupCapacity,
  assertValidCollections,
  estimateBackup,
  requireParent,
  startBackup,
} from '../../shared/backup/index.ts';
import { backups } from '../../shared/contract/endpoints/backups.ts';
import { defaultDestination, readDestination } from '../../shared/destination/index.ts';
import { handle } from '../../shared/http/index.ts';
import { readPitr, whyNotBuilt } from '../../shared/pitr/index.ts';
import { readProject } from '../../shared/project/index.ts';
import { backupData, currentEncryption, readEncryption } from '../../shared/stored-backup/index.ts';

export const create = handle(backups.create, async ({ tenant, organization, actor, body, now }) => {
  const { projectId, type, storageDestinationId: given, dryRun, ...more } = body;
  assertValidCollections(more);
  const [project, chosen, named] = await Promise.all([
    readProject(tenant, projectId),
    readEncryption(tenant),
    given === undefined ? undefined : readDestination(tenant, given),
  ]);
  const isFull = type === 'full';
  const isWhole = more.collections.includes('*') && more.excludeCollections.length === 0;
  const pitr = dryRun && isWhole && more.source === 'auto' ? await readPitr(tenant, projectId) : undefined;
  const builtFromReason = pitr && pitr.status !== 'disabled' ? whyNotBuilt(pitr) : undefined;
  const reading = { isBuilt: pitr?.status === 'active' && builtFromReason === undefined, builtFromReason };
  // The cost of a full backup does not depend on the destination.
  if (dryRun && isFull) return estimated(await estimateBackup(tenant, { project, options: more, ...reading }));
  const destination = named ?? (await defaultDestination(tenant, organization, project));
  const parent = isFull ? undefined : await requireParent(tenant, project, { ...more, storageDestinationId: destination.id });
  if (dryRun) return estimated(await estimateBackup(tenant, { project, options: more, parent, ...reading }));
  await assertBackupCapacity(tenant);
  const context = { tenant, project, destination, encryption: currentEncryption(chosen) };
  const kind = { trigger: 'manual', createdBy: actor } as const;
  const { backup, writes } = startBackup(context, { ...more, ...(parent ? asIncrementalOf(parent) : { type }), ...kind }, now);
  const details = { projectId, type, collections: more.collections.slice(0, 100), storageDestinationId: destination.id };
  const audit = [{ scope: tenant.organizationId, resource: { type: 'backup', id: backup.id }, details }];
  return { data: backupData(backup, new Map([[project.id, project.name]])), change: { writes, audit } };
});

const estimated = <T>(data: T) => ({ data, status: 200, change: { writes: [], audit: [] } }) as const;
