/** Documents are searched for by the values of their fields, and what is found leads to its restore. */
import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { openConsole } from '../../harness/browser/open-console.ts';
import { shop } from '../../harness/browser/restore-pages.ts';

test('console: a backup is searched by value; a mistake is explained, and a document that is found can be restored', async () => {
  const { organization, backup } = await shop();
  const { page, check } = await openConsole({ email: organization.owner.email, path: `/backups/${backup.id}/browse` });
  await page.getByRole('link', { name: 'Search by value' }).click();
  await page.getByRole('heading', { name: 'Search a backup' }).waitFor();
  await check.accessibility();
  await check.screenshots('search');
  const field = page.getByLabel('Search for');
  await field.fill('text == Ada');
  await page.getByRole('main').getByRole('button', { name: 'Search' }).click();
  await page.getByText('put text in double quotes').waitFor();
  await field.fill('text contains "A"');
  await page.getByRole('main').getByRole('button', { name: 'Search' }).click();
  await page.getByRole('link', { name: 'users/ada' }).waitFor();
  equal(await page.getByRole('main').getByRole('listitem').getByRole('link').count(), 1);
  await check.accessibility();
  await check.screenshots('search-found');
  await field.fill('"nobody at all"');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing matches').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'users/ada' }).click();
  await page.getByRole('heading', { name: 'Find a document' }).waitFor();
  await page.getByText('users/ada').first().waitFor();
});

test('console: what a search has found can be erased from all backups; then no search finds it', async () => {
  const { organization, backup, project } = await shop();
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/search?projectId=${project.id}&q=${encodeURIComponent('text contains "A"')}`,
  });
  await page.getByRole('link', { name: 'users/ada' }).waitFor();
  await page.getByRole('button', { name: 'Erase from all backups…' }).click();
  const dialog = page.getByRole('dialog');
  equal(await dialog.getByLabel('Paths').inputValue(), 'users/ada');
  await check.accessibility();
  await dialog.getByRole('button', { name: 'Find the documents' }).click();
  await dialog.getByText(/documents? will be hidden/).waitFor();
  await check.screenshots('search-erase');
  await dialog.getByLabel('Reason').fill('Request 4711');
  await dialog.getByLabel('Type erase to confirm').fill('erase');
  await dialog.getByRole('button', { name: 'Erase' }).click();
  await page.getByText('Nothing matches').waitFor();
  await page.goto(`${new URL(page.url()).origin}/console/search?backupId=${backup.id}&q=users%2Fada`);
  await page.getByText('Nothing matches').waitFor();
});
