/** What surrounds the documents of a backup, in the console. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { openConsole } from '../../harness/browser/open-console.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { createIndex, deleteIndex, listIndexes, refuseConfiguration, releaseRules } from '../../harness/stage/configuration.ts';
import { newOrganization } from '../../harness/stage/organization.ts';

test('console: a person sees the configuration of a backup, what is gone since, and brings it back', async () => {
  const organization = await newOrganization();
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  const { sourceProjectId: source } = project;
  await seed(source, { 'users/u1': { age: { integerValue: '36' } } });
  const index = await createIndex(source, 'users', ['age', 'name']);
  await releaseRules(source, 'cloud.firestore', 'service cloud.firestore { /* mine */ }');
  await refuseConfiguration(source, 'ListFields', 10);
  const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
  equal((await endOf(organization, id)).status, 'completed');
  await deleteIndex(index);

  const { page, check } = await openConsole({ email: organization.owner.email, path: `/backups/${id}` });
  await page.getByRole('link', { name: 'Configuration' }).click();
  const rows = page.getByRole('table', { name: 'Differences of the configuration' }).locator('tbody tr');
  await rows.first().waitFor();
  equal(await rows.count(), 1);
  const gone = (await rows.first().innerText()).replace(/\s+/g, ' ');
  equal(gone.includes('users: age ascending, name ascending') && gone.includes('Gone'), true, gone);
  await page.getByText('It needs the role roles/datastore.viewer').first().waitFor();
  await page.getByText('cloud.firestore', { exact: true }).click();
  await page.getByText('/* mine */').waitFor();
  await check.accessibility();
  await check.screenshots('backup-configuration');

  await page.getByRole('button', { name: 'Restore the configuration…' }).click();
  const plan = page.getByRole('list', { name: 'Plan' }).getByRole('listitem');
  await plan.filter({ hasText: 'users: age ascending, name ascending' }).filter({ hasText: 'Create' }).waitFor();
  equal((await listIndexes(source)).length, 0);
  await check.accessibility();
  await check.screenshots('backup-configuration-restore');
  await page.getByRole('button', { name: /^Write to / }).click();
  await plan.filter({ hasText: 'users: age ascending, name ascending' }).filter({ hasText: 'Equal' }).waitFor();
  deepEqual(
    (await listIndexes(source)).map(({ state }) => state),
    ['READY'],
  );
  check.problems();
});
