/** The list of backups: what it hides, what it shows of each, and changes of several at once. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { backups } from '../../../../shared/contract/endpoints/backups.ts';
import { newId } from '../../../../shared/platform/index.ts';
import { openConsole } from '../../../harness/browser/open-console.ts';
import { endOf, newDestination, newProject, seed, startBackup, takeBackup } from '../../../harness/stage/backup.ts';
import { call } from '../../../harness/stage/client.ts';
import { newOrganization } from '../../../harness/stage/organization.ts';
import { itemsOf, putItems } from '../../../harness/stage/table.ts';

test('console: internal backups are hidden; several are verified and deleted at once, and each result is told', async () => {
  const organization = await newOrganization();
  const real = await takeBackup(organization);
  const record = (await itemsOf(`ORG#${organization.id}`)).find(({ sk }) => sk === `BACKUP#${real.id}`);
  ok(record);
  const copy = (more: object) => {
    const id = newId('backup');
    return { ...record, sk: `BACKUP#${id}`, id, ...more };
  };
  const inAYear = new Date(Date.now() + 365 * 24 * 3_600_000).toISOString();
  await putItems([
    copy({ trigger: 'safety' }),
    copy({ trigger: 'pitr-base', retentionDays: 7, expiresAt: inAYear }),
    copy({ lockedUntil: inAYear }),
    copy({ expiresAt: inAYear, verifiedAt: new Date().toISOString() }),
    // The page does not know that captures build on it: the service refuses to delete it.
    copy({ pitrBase: true }),
  ]);
  const by = { token: organization.owner.accessToken, org: organization.id };
  equal((await call(backups.list, by)).body.data.length, 6);
  equal((await call(backups.list, { ...by, query: { internal: 'exclude' } })).body.data.length, 4);

  const { page, check } = await openConsole({ email: organization.owner.email, path: '/backups' });
  await page
    .getByRole('table')
    .getByText(/^Verified/)
    .waitFor();
  equal(await page.getByRole('row').count(), 1 + 4);
  await page.getByLabel('Show internal').check();
  await page.getByRole('table').getByText('Before a restore').filter({ visible: true }).waitFor();
  equal(await page.getByRole('row').count(), 1 + 6);
  await page.getByLabel('Show internal').uncheck();
  await page.locator('tbody tr').nth(4).waitFor({ state: 'detached' });

  // By keyboard: the box of the header selects all.
  await page.getByRole('checkbox', { name: 'Select all' }).focus();
  await page.keyboard.press('Space');
  await page.getByText('4 selected').waitFor();
  await check.screenshots('backups-selected');
  for (const width of [1_066, 1_130, 1_200, 1_280, 1_440]) {
    await page.setViewportSize({ width, height: 860 });
    const frame = "document.querySelector('.table-frame')";
    const [wide, shown] = (await page.evaluate(`[${frame}.firstChild.scrollWidth, ${frame}.clientWidth]`)) as number[];
    ok(Number(wide) <= Number(shown), `${wide} px in ${shown} px of a window of ${width} px`);
  }
  await page.setViewportSize({ width: 1_280, height: 860 });
  await check.accessibility();
  await page.getByRole('button', { name: 'Verify…' }).click();
  const dialog = page.getByRole('dialog');
  await check.screenshots('backups-verify');
  await dialog.getByRole('button', { name: 'Verify 4 backups' }).click();
  await dialog.getByText('4 backups are being verified.').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText('4 selected').waitFor({ state: 'detached' });

  // With Shift, those between follow.
  const boxes = page.locator('tbody').getByRole('checkbox');
  await boxes.first().click();
  await boxes.last().click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Delete…' }).click();
  await dialog.getByText('1 backup will be left out:').waitFor();
  await dialog.getByText('The storage keeps it locked until').waitFor();
  await dialog.getByLabel('Type delete 3 backups to confirm').fill('delete 3 backups');
  await check.screenshots('backups-delete');
  await check.accessibility();
  await dialog.getByRole('button', { name: 'Delete 3 backups' }).click();
  await dialog.getByText('2 of 4 backups are deleted, 2 are kept.').waitFor();
  await dialog.getByText('The storage keeps it locked until').waitFor();
  await dialog.getByText('Point-in-time recovery of the project needs this backup').waitFor();
  await check.screenshots('backups-deleted');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.locator('tbody tr').nth(2).waitFor({ state: 'detached' });
  const left = (await call(backups.list, { ...by, query: { internal: 'exclude' } })).body.data;
  deepEqual(left.map(({ lockedUntil }) => lockedUntil).toSorted(), [inAYear, null]);
  check.problems();
});

test('console: backups of two projects are deleted at once, and nothing else of either is', async () => {
  const organization = await newOrganization();
  const destination = await newDestination(organization, { name: 'Archive' });
  const [shop, blog] = await Promise.all(
    ['Shop', 'Blog'].map((name) => newProject(organization, { name, settings: { defaultStorageId: destination.id } })),
  );
  ok(shop && blog);
  const made: { readonly id: string; readonly projectId: string }[] = [];
  for (const { id: projectId, sourceProjectId } of [shop, blog]) {
    await seed(sourceProjectId, { 'users/ada': {} });
    for (let n = 0; n < 2; n++) made.push(await endOf(organization, (await startBackup(organization, { projectId })).id));
  }
  const { page, check } = await openConsole({ email: organization.owner.email, path: '/backups' });
  // The older one of each project.
  const rows = page.locator('tbody tr');
  await rows.nth(3).waitFor();
  for (const name of ['Shop', 'Blog']) await rows.filter({ hasText: name }).last().getByRole('checkbox').check();
  await page.getByText('2 selected').waitFor();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/1 backup of (Shop|Blog), 1 backup of (Shop|Blog)\./).waitFor();
  await dialog.getByText(/in Archive will be deleted/).waitFor();
  await check.screenshots('backups-delete-projects');
  await check.accessibility();
  await dialog.getByLabel('Type delete 2 backups to confirm').fill('delete 2 backups');
  await dialog.getByRole('button', { name: 'Delete 2 backups' }).click();
  await dialog.getByText('2 backups are deleted.').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await rows.nth(2).waitFor({ state: 'detached' });
  const by = { token: organization.owner.accessToken, org: organization.id };
  const left = (await call(backups.list, by)).body.data.map(({ id }) => id);
  deepEqual(left.toSorted(), [made[1]?.id, made[3]?.id].toSorted());
  for (const { id } of made.filter((_, n) => n % 2 === 0))
    equal((await call(backups.get, { ...by, params: { backupId: id } })).body.data.status, 'deleted');
  check.problems();
});
