/** A change in the console is made once, when its person says so, and undoes no change of another person. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { expect, onTestFinished, test } from 'vitest';
import { organizations } from '../../../../shared/contract/endpoints/organizations.ts';
import { pitr } from '../../../../shared/contract/endpoints/pitr.ts';
import { schedules } from '../../../../shared/contract/endpoints/schedules.ts';
import { serviceAccount } from '../../../../shared/contract/endpoints/service-account.ts';
import { storageDestinations } from '../../../../shared/contract/endpoints/storage-destinations.ts';
import { webhooks } from '../../../../shared/contract/endpoints/webhooks.ts';
import { openConsole } from '../../../harness/browser/open-console.ts';
import { restoresOf, shop, text, typeName } from '../../../harness/browser/restore-pages.ts';
import { newDestination, newProject } from '../../../harness/stage/backup.ts';
import { call } from '../../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../../harness/stage/organization.ts';
import { startReceiver } from '../../../harness/stage/receiver.ts';
import { erase } from '../../../harness/stage/restore.ts';

const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });

test('console: a restore that is confirmed without a network is not started, then or later', async () => {
  const { organization, source, backup } = await shop();
  await erase(source, ['users/ada']);
  const path = `/restore/new?backupId=${backup.id}&scope=all&mode=rollback&step=plan`;
  const { page } = await openConsole({ email: organization.owner.email, path });
  await typeName(page, 'Shop');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: /^Restore/ }).click();
  await page.getByText('The restore was not started').waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Restores', exact: true }).click();
  await page.getByText('Nothing was restored yet').waitFor();
  deepEqual(await restoresOf(organization), []);
});

test('console: a double click makes one change', async () => {
  const organization = await newOrganization();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const { page } = await openConsole({ email: organization.owner.email, path: '/webhooks' });
  await page.getByRole('button', { name: 'Add webhook' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('On-call');
  await dialog.getByLabel('Address', { exact: true }).fill(receiver.url());
  await dialog.getByRole('button', { name: 'Add webhook' }).dblclick();
  await page.getByText('Copy the secret now').waitFor();
  equal((await call(webhooks.list, by(organization))).body.data.length, 1);

  // The secret is shown once, so only the button closes it.
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  ok(await page.getByText('Copy the secret now').isVisible());
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Copy the secret now').waitFor({ state: 'detached' });
});

test('console: a form saves only what its person has changed', async () => {
  const organization = await newOrganization();
  const destination = await newDestination(organization);
  const project = await newProject(organization, { settings: { defaultStorageId: destination.id } });
  const body = { projectId: project.id, name: 'Nightly', cron: '0 3 * * 0' };
  const { id: scheduleId } = (await call(schedules.create, { ...by(organization), body })).body.data;
  const { page } = await openConsole({ email: organization.owner.email, path: `/schedules/${scheduleId}/edit` });
  await page.getByLabel('Name', { exact: true }).fill('Renamed');
  const change = { ...by(organization), params: { scheduleId }, body: { cron: '0 3 * * *' } };
  equal((await call(schedules.update, change)).status, 200);
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByRole('heading', { name: 'Renamed' }).waitFor();
  const { name, cron } = (await call(schedules.get, { ...by(organization), params: { scheduleId } })).body.data;
  deepEqual([name, cron], ['Renamed', '0 3 * * *']);
});

test('console: backups and captured changes go to the default storage of the organization unless another is chosen', async () => {
  const organization = await newOrganization();
  const stores = [await newDestination(organization, { name: 'One' }), await newDestination(organization, { name: 'Two' })];
  const project = await newProject(organization);
  for (const { id } of stores) {
    const body = { settings: { defaultStorageId: id } };
    equal((await call(organizations.update, { ...by(organization), body })).status, 200);
    const { page } = await openConsole({ email: organization.owner.email, path: `/projects/${project.id}/point-in-time` });
    await page.getByRole('button', { name: 'Enable…' }).click();
    await expect.poll(() => page.getByLabel('Where changes are stored').inputValue()).toBe(id);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Back up now' }).click();
    await expect.poll(() => page.getByRole('dialog').getByLabel('Storage').inputValue()).toBe(id);
    await page.getByText('The default storage of the organization.').waitFor();
  }
});

test('console: a backup is not offered to the storage of the organization while its project loads', async () => {
  const organization = await newOrganization();
  const [own, common] = [
    await newDestination(organization, { name: 'One' }),
    await newDestination(organization, { name: 'Two' }),
  ];
  const project = await newProject(organization, { settings: { defaultStorageId: own.id } });
  const body = { settings: { defaultStorageId: common.id } };
  equal((await call(organizations.update, { ...by(organization), body })).status, 200);
  const { page, goTo } = await openConsole({ email: organization.owner.email, path: '/organization' });
  const { promise: isHeld, resolve: answer } = Promise.withResolvers<void>();
  await page.route(/\/api\/v1\/projects\?/, async (route) => {
    await isHeld;
    await route.fallback();
  });
  const settings = page.waitForResponse(/\/organizations\/current/);
  await goTo(`/backups?start=${project.id}`);
  await settings;
  const storage = page.getByRole('dialog').getByLabel('Storage');
  await expect.poll(() => storage.getByRole('option').count()).toBe(3);
  equal(await storage.inputValue(), '');
  answer();
  await expect.poll(() => storage.inputValue()).toBe(own.id);
  await page.getByText('The default storage of this project.').waitFor();
});

test('console: what is typed while a form is being saved stays, and what was not changed follows the record', async () => {
  const organization = await newOrganization();
  const { page } = await openConsole({ email: organization.owner.email, path: '/organization' });
  const name = page.getByLabel('Name', { exact: true });
  const timezone = page.getByLabel('Time zone');
  await timezone.selectOption('Asia/Tokyo');
  await timezone.selectOption('UTC');
  await name.fill('First');
  let answer = (): void => {};
  const isHeld = new Promise<void>((done) => {
    answer = done;
  });
  await page.route(/\/api\/v1\/organizations/, async (route) => {
    const response = await route.fetch();
    if (route.request().method() === 'PUT') await isHeld;
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await name.fill('Second');
  answer();
  await page.getByRole('button', { name: /First/ }).waitFor();
  equal(await name.inputValue(), 'Second');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: /Second/ }).waitFor();
  const settings = { timezone: 'Europe/Berlin' };
  equal((await call(organizations.update, { ...by(organization), body: { settings } })).status, 200);
  await name.fill('Third');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: /Third/ }).waitFor();
  await expect.poll(() => timezone.inputValue()).toBe('Europe/Berlin');
});

test('console: a new schedule begins with the only storage, however late that is known, and keeps what is typed', async () => {
  const organization = await newOrganization();
  const { id } = await newDestination(organization);
  await newProject(organization);
  const { page, goTo } = await openConsole({ email: organization.owner.email });
  const answer = Promise.withResolvers<void>();
  await page.route('**/api/v1/storage-destinations?*', (route) => answer.promise.then(() => route.continue()));
  const organizationRead = page.waitForResponse('**/api/v1/organizations/current');
  await goTo('/schedules/new');
  await organizationRead;
  const name = page.getByLabel('Name', { exact: true });
  // Time for a form that would begin without the storage.
  await page.waitForTimeout(500);
  equal(await name.count(), 0);
  answer.resolve();
  await name.fill('Nightly');
  equal(await page.getByLabel('Storage', { exact: true }).inputValue(), id);
  equal(await name.inputValue(), 'Nightly');
});

test('console: what is typed stays when the record changes meanwhile, and the other fields follow it', async () => {
  const organization = await newOrganization();
  const { page } = await openConsole({ email: organization.owner.email, path: '/organization' });
  await page.getByLabel('Name', { exact: true }).fill('Typed');
  const body = { settings: { timezone: 'Asia/Tokyo' } };
  equal((await call(organizations.update, { ...by(organization), body })).status, 200);
  // Reads are repeated when a page is shown again after a while.
  await page.waitForTimeout(5_500);
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await page.getByLabel('Time zone').and(page.locator(':has(option:checked:text-is("Asia/Tokyo"))')).waitFor();
  equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed');
  await page.getByRole('button', { name: 'Save' }).click();
  // It is busy until it has saved.
  await page.getByRole('button', { name: 'Save' }).and(page.locator('[aria-disabled]:not([aria-busy])')).waitFor();
  const { name, settings } = (await call(organizations.current, by(organization))).body.data;
  deepEqual([name, settings.timezone], ['Typed', 'Asia/Tokyo']);
});

test('console: a day is typed into a filter by keyboard', async () => {
  const organization = await newOrganization();
  const { page } = await openConsole({ email: organization.owner.email, path: '/restores?status=failed' });
  const from = page.getByLabel('From');
  await from.focus();
  // A year of one digit is a day, too.
  await page.keyboard.type('01012');
  await page.waitForURL(/from=0002-01-01/);
  await page.keyboard.type('026');
  await page.waitForURL(/from=2026-01-01/);
  equal(await from.inputValue(), '2026-01-01');
  await page.getByRole('button', { name: 'Show all restores' }).click();
  await page.waitForURL((url) => !url.searchParams.has('from'));
});

test('console: a collection whose name looks like a number is the one that is chosen', async () => {
  const { organization, backup } = await shop('Shop', { '1.1/a': text('a'), '1.10/a': text('a') });
  const path = `/restore/new?backupId=${backup.id}&scope=collections&step=scope`;
  const { page } = await openConsole({ email: organization.owner.email, path });
  await page.getByRole('checkbox', { name: /^1\.10 / }).check();
  equal(await page.getByRole('checkbox', { name: /^1\.1 / }).isChecked(), false);
  equal(new URL(page.url()).searchParams.get('collections'), '1.10');
});

test('console: what was typed for one project is not shown for another one', async () => {
  const organization = await newOrganization();
  const [one, other] = [await newProject(organization, { name: 'One' }), await newProject(organization, { name: 'Other' })];
  const { page } = await openConsole({ email: organization.owner.email, path: `/projects/${other.id}/settings` });
  const name = page.getByLabel('Name', { exact: true });
  await name.waitFor();
  await page.getByRole('link', { name: 'Projects', exact: true }).first().click();
  await page.getByRole('link', { name: 'One', exact: true }).click();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.waitForURL(`**/projects/${one.id}/settings`);
  await name.fill('Renamed');
  // As the history of the browser does.
  await page.evaluate('history.go(-3)');
  await page.getByRole('heading', { level: 1, name: 'Other' }).waitFor();
  equal(await name.inputValue(), 'Other');
});

test('console: a renamed service account does not get back a permission that was withdrawn meanwhile', async () => {
  const organization = await newOrganization();
  const made = { ...by(organization), body: { name: 'CI', permissions: ['backups:read', 'backups:write'] as const } };
  equal((await call(serviceAccount.create, made)).status, 201);
  const { page } = await openConsole({ email: organization.owner.email, path: '/api-keys' });
  await page.getByRole('button', { name: 'Rotate key…' }).locator('..').getByRole('button', { name: 'Edit…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Name/).fill('Pipeline');
  const withdrawn = { ...by(organization), body: { permissions: ['backups:read'] as const } };
  equal((await call(serviceAccount.update, withdrawn)).status, 200);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { name, permissions } = (await call(serviceAccount.get, by(organization))).body.data;
  deepEqual([name, permissions], ['Pipeline', ['backups:read']]);
});

test('console: a renamed storage destination keeps the protection that was chosen meanwhile', async () => {
  const organization = await newOrganization();
  const { id: storageId } = await newDestination(organization);
  const { page } = await openConsole({ email: organization.owner.email, path: '/storage' });
  await page.getByRole('button', { name: 'Edit…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Name/).fill('Renamed');
  const chosen = { ...by(organization), params: { storageId }, body: { immutable: true } };
  equal((await call(storageDestinations.update, chosen)).status, 200);
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { name, immutable } = (await call(storageDestinations.get, { ...by(organization), params: { storageId } })).body.data;
  deepEqual([name, immutable], ['Renamed', true]);
});

test('console: another interval of captures leaves the time that was chosen for them meanwhile', async () => {
  const organization = await newOrganization();
  const { id: projectId } = await newProject(organization);
  const { id: storageDestinationId } = await newDestination(organization);
  const ofProject = { ...by(organization), params: { projectId } };
  const body = { precision: 'interval', captureIntervalSeconds: 600, storageDestinationId } as const;
  equal((await call(pitr.enable, { ...ofProject, body })).status, 202);
  const { page } = await openConsole({ email: organization.owner.email, path: `/projects/${projectId}/point-in-time` });
  await page.getByRole('button', { name: 'Settings…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Store changes every (seconds)').fill('900');
  equal((await call(pitr.update, { ...ofProject, body: { retentionDays: 30 } })).status, 200);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { captureIntervalSeconds, retentionDays } = (await call(pitr.get, ofProject)).body.data;
  deepEqual([captureIntervalSeconds, retentionDays], [900, 30]);
  equal((await call(pitr.disable, ofProject)).status, 200);
});

test('console: a new alert that is being created cannot be left, so that none is created twice', async () => {
  const organization = await newOrganization();
  const { page } = await openConsole({ email: organization.owner.email, path: '/alerts' });
  const created = Promise.withResolvers<void>();
  await page.route('**/api/v1/alerts', async (route) => {
    if (route.request().method() === 'POST') await created.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Add alert' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Channel').selectOption('email');
  await dialog.getByLabel('Name', { exact: true }).fill('On call');
  await dialog.getByRole('button', { name: 'Add alert' }).click();
  await dialog.locator('[aria-busy]').waitFor();
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Cancel' }).click({ force: true });
  equal(await dialog.isVisible(), true);
  created.resolve();
  await page.getByRole('heading', { name: 'On call' }).waitFor();
});
