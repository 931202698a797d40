/** A backup whose database is down: visible while it lasts, and what the page says once it has failed. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'vitest';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { shop } from '../../harness/browser/restore-pages.ts';
import { endOf, startBackup } from '../../harness/stage/backup.ts';
import { startOutage } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { addFault, revokeSource } from '../../harness/stage/firestore-faults.ts';

const visibleWithinMs = 15_000;

test('console: an outage is shown on the pages of the backup and of the project until it is over', async () => {
  const { organization, project, source, backup } = await shop();
  // Injected fault: the database is unavailable.
  const mend = await addFault({ project: source, method: 'RunQuery', status: 'UNAVAILABLE', times: 1_000_000 });
  const { id } = await startBackup(organization, {
    projectId: project.id,
    storageDestinationId: backup.storageDestination.id,
  });
  const { page, check } = await openConsole({ email: organization.owner.email, path: `/backups/${id}` });
  await page.getByText(/^Waits for the database ·/).waitFor();
  await page
    .getByText(
      /The step has failed once and is tried again\. The last time: The source did not answer 8 calls in a row: UNAVAILABLE\./,
    )
    .waitFor();
  await page.getByText(/It gives up at .* unless it makes progress before\./).waitFor();
  await check.screenshots('backup-waits');
  await check.accessibility();
  await page.getByRole('link', { name: 'Shop', exact: true }).first().click();
  await page.getByText(/The backup that runs waits for the database/).waitFor();
  await check.accessibility();
  await mend();
  equal((await endOf(organization, id)).status, 'completed');
  await page.goBack();
  const timeline = page.getByRole('list', { name: 'Timeline' });
  await timeline.getByText('Completed').waitFor();
  match(
    await timeline.innerText(),
    /Started[\s\S]*Copying[\s\S]*Waits for the database[\s\S]*UNAVAILABLE[\s\S]*Finishing[\s\S]*Completed/,
  );
  const by = { token: organization.owner.accessToken, org: organization.id };
  const { body } = await call(backups.timeline, { ...by, params: { backupId: id } });
  const kinds = body.data.entries.map(({ kind }) => kind);
  deepEqual([kinds[0], kinds.includes('waiting'), kinds.at(-1)], ['created', true, 'ended']);
});

test('console: an outage of the bucket is shown within 15 seconds, on the pages of the backup and of the project', async () => {
  const { organization, project, backup } = await shop();
  const by = { token: organization.owner.accessToken, org: organization.id };
  const storageId = backup.storageDestination.id;
  const { bucket } = (await call(storageDestinations.get, { ...by, params: { storageId } })).body.data;
  const { page, check } = await openConsole({ email: organization.owner.email, path: `/projects/${project.id}` });
  await page.getByRole('heading', { name: 'Shop' }).waitFor();
  const other = await page.context().newPage();
  const mend = await startOutage(bucket);
  const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: storageId });
  await other.goto(new URL(`/console/backups/${id}`, page.url()).href);
  const onBackup = other.getByText(/^Waits for the bucket ·/);
  const onProject = page.getByText(/The backup that runs waits for the bucket/);
  await Promise.all([onBackup, onProject].map((text) => text.waitFor({ timeout: visibleWithinMs })));
  await other.getByText(/It gives up at .* unless it makes progress before\./).waitFor();
  const third = await page.context().newPage();
  await third.goto(new URL('/console/storage', page.url()).href);
  await third.getByText(/^A backup waits for the bucket ·/).waitFor();
  equal(await third.getByText('Connected', { exact: true }).count(), 0, 'a bucket that does not answer is not connected');
  await check.screenshots('project-waits');
  await check.accessibility();
  await mend();
  equal((await endOf(organization, id)).status, 'completed');
  await onProject.waitFor({ state: 'detached' });
});

test('console: a failed backup says why, that the last good one is intact, and what to do next', async () => {
  const { organization, project, source, backup } = await shop();
  await revokeSource(source);
  const { id } = await startBackup(organization, {
    projectId: project.id,
    storageDestinationId: backup.storageDestination.id,
  });
  equal((await endOf(organization, id)).error?.code, 'SOURCE_AUTH_ERROR');
  const { page, check } = await openConsole({ email: organization.owner.email, path: `/backups/${id}` });
  await page.getByText('This backup failed. It stored nothing that can be restored.').waitFor();
  await page.getByText(/The last good backup, of .*, is not affected\./).waitFor();
  equal(await page.getByText('Technical details').count(), 1);
  equal(await page.getByText('Backup', { exact: true }).isVisible(), false);
  equal(await page.getByRole('navigation', { name: 'Backup', exact: true }).count(), 0, 'there is nothing to browse');
  await check.screenshots('backup-failed');
  await check.accessibility();
  match((await page.getByRole('link', { name: 'Reconnect the project' }).getAttribute('href')) ?? '', /reconnect=true$/);
  equal(await page.locator(`a[href$="/backups/${backup.id}"]`).count(), 1);
  await revokeSource(source, null);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.waitForURL((url) => url.pathname.includes('/backups/bkp_') && !url.pathname.endsWith(id));
  const next = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  equal((await endOf(organization, next)).status, 'completed');
});

test('console: a failed backup of a schedule is tried again with the retention policy of the schedule', async () => {
  const { organization, project, source, backup } = await shop();
  const by = { token: organization.owner.accessToken, org: organization.id };
  const retentionPolicy = { daily: 7, weekly: 4, monthly: 0, yearly: 0 };
  const storageDestinationId = backup.storageDestination.id;
  const body = { projectId: project.id, storageDestinationId, name: 'Nightly', cron: '0 3 * * *', retentionPolicy };
  const { id: scheduleId } = (await call(schedules.create, { ...by, body })).body.data;
  await revokeSource(source);
  const { id } = (await call(schedules.trigger, { ...by, params: { scheduleId } })).body.data;
  equal((await endOf(organization, id)).status, 'failed');
  await revokeSource(source, null);
  const { page } = await openConsole({ email: organization.owner.email, path: `/backups/${id}` });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.waitForURL((url) => url.pathname.includes('/backups/bkp_') && !url.pathname.endsWith(id));
  const next = await endOf(organization, new URL(page.url()).pathname.split('/').at(-1) ?? '');
  deepEqual([next.status, next.scheduleId, next.retentionPolicy], ['completed', scheduleId, retentionPolicy]);
});
