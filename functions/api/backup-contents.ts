import { importBackup } from '../../shared/backup/index.ts';
import { backupContents } from '../../shared/contract/endpoints/backup-contents.ts';
import { readDestination } from '../../shared/destination/index.ts';
import { handle } from '../../shared/http/index.ts';
import { readProject } from '../../shared/project/index.ts';
import {
  backupData,
  browseBackup,
  compareBackup,
  diffConfiguration,
  readBackup,
  restoreConfiguration,
  showConfiguration,
} from '../../shared/stored-backup/index.ts';

export const documents = handle(backupContents.documents, async ({ tenant, params, query, page }) => {
  const { entries, next, change } = await browseBackup(tenant, {
    backup: await readBackup(tenant, params.backupId),
    query,
    page,
  });
  return { items: entries, next, change };
});

export const configuration = handle(backupContents.configuration, async ({ tenant, params }) =>
  showConfiguration(tenant, { backup: await readBackup(tenant, params.backupId) }),
);

export const configurationDiff = handle(backupContents.configurationDiff, async ({ tenant, params, query }) =>
  diffConfiguration(tenant, { backup: await readBackup(tenant, params.backupId), against: query.against }),
);

export const configurationRestore = handle(backupContents.configurationRestore, async (call) =>
  restoreConfiguration(call, { ...call.body, backup: await readBackup(call.tenant, call.params.backupId) }),
);

export const diff = handle(backupContents.diff, async (call) => {
  const backup = await readBackup(call.tenant, call.params.backupId);
  return compareBackup({ ...call, path: call.query.path }, { backup, against: call.query.against });
});

export const register = handle(backupContents.register, async ({ tenant, organization, actor, body, now }) => {
  const { projectId, storageDestinationId, path, metadata = {} } = body;
  const [project, destination] = await Promise.all([
    readProject(tenant, projectId),
    readDestination(tenant, storageDestinationId),
  ]);
  const createdBy = actor;
  const context = { tenant, organization, project, destination };
  const { backup, change } = await importBackup(context, { options: { path, metadata, createdBy }, now });
  return { data: backupData(backup), change };
});
