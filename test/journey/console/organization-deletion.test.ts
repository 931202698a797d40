/** Deleting an organization with a running job, in a real browser. */
import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { untilToast } from '../../harness/browser/note-toasts.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, readRestore } from '../../harness/stage/restore.ts';
import { startSlowRestore } from '../../harness/stage/slow-restore.ts';

test('console: an organization with a running restore is deleted only after its jobs were cancelled', async () => {
  const organization = await newOrganization(undefined, 'Analytical Engines');
  const { id, owner } = organization;
  const { page, goTo, check } = await openConsole({ email: owner.email });
  const { restoreJobId, sourceProjectId } = await startSlowRestore(organization);
  await goTo('/organization');
  await page.getByRole('button', { name: 'Delete organization…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Type Analytical Engines to confirm').fill('Analytical Engines');
  await dialog.getByRole('button', { name: 'Delete organization' }).click();
  await dialog.getByRole('alert').getByText(`in progress: restore ${restoreJobId}`).waitFor();
  await dialog.getByRole('alert').getByText('or choose “Cancel running jobs first”').waitFor();
  await check.screenshots('organization-delete-refused');
  await check.accessibility();
  equal((await readRestore(organization, restoreJobId)).status, 'running');

  await dialog.getByRole('checkbox', { name: 'Cancel running jobs first' }).check();
  await dialog.getByRole('button', { name: 'Delete organization' }).click();
  await untilToast(page, 'The organization was deleted. You can recover it');
  const written = Object.keys(await contentsOf(sourceProjectId)).length;
  await untilToast(page, `Cancelled jobs had written ${written} document`);
  equal((await call(organizations.current, { token: owner.accessToken, org: id })).body.error.code, 'ORGANIZATION_NOT_FOUND');
  // It was the only one: the person starts again, or recovers it.
  await page.getByRole('heading', { name: 'Protect your first project' }).waitFor();
  await page.getByRole('heading', { name: 'Deleted organizations' }).waitFor();
  await check.screenshots('organization-deleted');
  await check.accessibility();
  await page.getByRole('button', { name: 'Recover' }).click();
  await untilToast(page, 'Analytical Engines was recovered');
  equal((await call(organizations.current, { token: owner.accessToken, org: id })).status, 200);
  await page.getByRole('link', { name: 'Go to the overview' }).first().click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  check.problems();
});
