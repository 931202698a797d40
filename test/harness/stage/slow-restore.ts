import { setTimeout as pause } from 'node:timers/promises';
import { endOf, newDestination, newProject, seed, startBackup } from './backup.ts';
import type { TestOrganization } from './organization.ts';
import { contentsOf, erase, startRestore } from './restore.ts';

/** A restore of 60 documents, five a second, that has written some of them. */
export const startSlowRestore = async (organization: TestOrganization) => {
  const documents = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`items/${n}`, { n: { integerValue: String(n) } }]));
  const { id: projectId, sourceProjectId } = await newProject(organization);
  const { id: storageDestinationId } = await newDestination(organization);
  await seed(sourceProjectId, documents);
  const backup = await endOf(organization, (await startBackup(organization, { projectId, storageDestinationId })).id);
  await erase(sourceProjectId, Object.keys(documents));
  const before = await contentsOf(sourceProjectId);
  const { restoreJobId } = await startRestore(organization, { backupId: backup.id, options: { maxWritesPerSecond: 5 } });
  while (Object.keys(await contentsOf(sourceProjectId)).length === 0) await pause(50);
  return { restoreJobId, sourceProjectId, before };
};
