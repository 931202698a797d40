/** What the page Storage, the API and the service's own records say of a bucket. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { storageUsage } from '../../../../shared/contract/endpoints/storage-usage.ts';
import { openConsole } from '../../../harness/browser/open-console.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../../harness/stage/backup.ts';
import { call } from '../../../harness/stage/client.ts';
import { newOrganization } from '../../../harness/stage/organization.ts';

test('console: each bucket shows what it holds by project, what uses it and what it costs', async () => {
  const organization = await newOrganization();
  const destination = await newDestination(organization, { name: 'Archive' });
  const unused = await newDestination(organization, { name: 'Spare' });
  const project = await newProject(organization, { name: 'Web shop', settings: { defaultStorageId: destination.id } });
  await seed(project.sourceProjectId, { 'users/ada': {} });
  const backup = await endOf(organization, (await startBackup(organization, { projectId: project.id })).id);
  const by = { token: organization.owner.accessToken, org: organization.id };
  const { data: usage } = (await call(storageUsage.get, { ...by, params: { storageId: destination.id } })).body;
  deepEqual([usage.backups, usage.storedBytes], [1, backup.size]);
  // A chunk, its index, the manifest and the key.
  equal(usage.objects, 4);
  deepEqual(usage.projects[0]?.uses, ['default', 'backups']);
  equal((await call(storageUsage.get, { ...by, params: { storageId: unused.id } })).body.data.backups, 0);

  const { page, check } = await openConsole({ email: organization.owner.email, path: '/storage' });
  const table = page.getByRole('table', { name: 'Projects that use this storage' });
  await table.getByRole('link', { name: 'Web shop' }).waitFor();
  await page.getByText('No project uses this storage yet').waitFor();
  await page.getByRole('link', { name: 'Amazon S3 Standard' }).first().waitFor();
  await page.getByText('less than US$0.01').waitFor();
  await page
    .getByText(/^US\$0\.023 per GB a month,/)
    .first()
    .waitFor();
  await check.screenshots('storage-usage');
  await check.accessibility();
  check.problems();
});
