/** The command palette and the keyboard shortcuts, with the keyboard alone. */
import { equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { newId } from '../../../shared/platform/index.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { newDestination, newProject, seed, takeBackup } from '../../harness/stage/backup.ts';
import { addMember, newOrganization } from '../../harness/stage/organization.ts';
import { itemsOf, putItems } from '../../harness/stage/table.ts';

test('console: a project, a backup, a page and an action are reached by typing, and keys lead to pages', async () => {
  const organization = await newOrganization();
  const destination = await newDestination(organization);
  const project = await newProject(organization, { name: 'Web shop', settings: { defaultStorageId: destination.id } });
  await seed(project.sourceProjectId, { 'users/ada': { name: { stringValue: 'Ada' } } });
  const backup = await takeBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
  const { page, check } = await openConsole({ email: organization.owner.email });
  const { keyboard } = page;
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  const field = page.getByRole('combobox', { name: /^Search projects/ });
  const active = page.getByRole('option', { selected: true });
  const search = async (text: string, first: RegExp): Promise<void> => {
    await keyboard.press('Control+k');
    await field.fill(text);
    await active.filter({ hasText: first }).waitFor();
  };

  await keyboard.press('Control+k');
  await page.getByRole('group', { name: 'Actions' }).waitFor();
  await check.accessibility();
  await check.screenshots('palette-start');
  await keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });

  await search('web', /^Web shop/);
  await check.accessibility();
  await check.screenshots('palette-found');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Web shop' }).waitFor();
  await search('shop full', /full, completed/);
  await keyboard.press('Enter');
  await page.waitForURL(`**/backups/${backup.id}`);
  await search('', /^Web shop/);
  await page.getByRole('group', { name: 'Recent' }).waitFor();
  await field.fill('no such thing');
  await page.getByText('Nothing found for “no such thing”.').waitFor();
  await field.fill('dark');
  await active.filter({ hasText: 'Use the dark theme' }).waitFor();
  await keyboard.press('Enter');
  equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');

  await keyboard.press('g');
  await keyboard.press('s');
  await page.getByRole('heading', { name: 'Schedules', exact: true }).waitFor();
  await keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await check.accessibility();
  await check.screenshots('shortcuts');
  // A dialog is answered first.
  await keyboard.press('c');
  await page.getByRole('checkbox', { name: /^Single keys/ }).waitFor();
  await keyboard.press('Escape');
  await keyboard.press('/');
  await field.waitFor();
  // Keys that are typed into a field are text.
  await keyboard.type('gb?');
  equal(await field.inputValue(), 'gb?');
  await keyboard.press('Escape');
  await keyboard.press('f');
  const find = page.getByRole('textbox', { name: 'Find a document' });
  await find.waitFor();
  await keyboard.press('/');
  await find.and(page.locator(':focus')).waitFor();
  await page.getByRole('main').focus();
  await keyboard.press('c');
  await page.getByRole('dialog', { name: 'Back up now' }).waitFor();
  check.problems();
});

test('console: a backup that a hundred newer ones follow is found by its project, and by its day', async () => {
  const organization = await newOrganization();
  const old = await takeBackup(organization);
  const busy = await newProject(organization, { name: 'Market' });
  const record = (await itemsOf(`ORG#${organization.id}`)).find(({ sk }) => sk === `BACKUP#${old.id}`);
  ok(record);
  const copies = Array.from({ length: 100 }, () => {
    const id = newId('backup');
    return { ...record, sk: `BACKUP#${id}`, id, projectId: busy.id, projectName: 'Market' };
  });
  await putItems(copies);
  const { page, check } = await openConsole({ email: organization.owner.email });
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  const field = page.getByRole('combobox', { name: /^Search projects/ });
  const found = page
    .getByRole('option')
    .filter({ hasText: old.projectName ?? '' })
    .filter({ hasText: 'full, completed' });
  for (const text of [`${old.projectName} backup`, `${old.createdAt.slice(0, 7)} ${old.projectName}`]) {
    await page.keyboard.press('Control+k');
    await field.fill(text);
    await found.waitFor();
    await page.keyboard.press('Escape');
  }
  await page.keyboard.press('Control+k');
  await field.fill(`${old.projectName} backup`);
  await found.click();
  await page.waitForURL(`**/backups/${old.id}`);
  check.problems();
});

test('console: the palette shows a viewer what they may not do, with the reason, and a small screen has a button', async () => {
  const organization = await newOrganization();
  const viewer = await addMember(organization, 'viewer');
  const { page, check } = await openConsole({ email: viewer.email, width: 360 });
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  const option = page.getByRole('option', { name: /^Back up now/ });
  equal(await option.getAttribute('aria-disabled'), 'true');
  match((await option.textContent()) ?? '', /Only members, admins and the owner can do this\./);
  // Chosen although it is disabled: nothing happens.
  await option.click({ force: true });
  await check.accessibility();
  await page.getByRole('combobox').fill('team');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Team', exact: true }).waitFor();
  check.problems();
});

test('console: what is typed while the palette still loads is not lost, and starts nothing', async () => {
  const organization = await newOrganization();
  await newProject(organization, { name: 'Cart' });
  const { page, check } = await openConsole({ isSignedIn: true, email: organization.owner.email });
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  const loading = Promise.withResolvers<void>();
  await page.route(/\/assets\/palette-[^/]+\.js$/, async (route) => {
    await loading.promise;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('cart');
  loading.resolve();
  await page.getByRole('combobox', { name: /^Search projects/ }).waitFor();
  await page.getByRole('option', { selected: true }).filter({ hasText: /^Cart/ }).waitFor();
  equal(await page.getByRole('combobox', { name: /^Search projects/ }).inputValue(), 'cart');
  check.problems();
});
