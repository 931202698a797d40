/** Documents are searched for by the values of their fields, and what is found leads to its restore. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'vitest';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { shop } from '../../harness/browser/restore-pages.ts';
import { endOf, seed, startBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { endOfRestore } from '../../harness/stage/restore.ts';

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

const customer = (n: number, note = randomBytes(450).toString('hex')) => ({
  email: { stringValue: `customer${n}@example.com` },
  note: { stringValue: note },
});
const pathOf = (n: number): string => `customers/c${String(n).padStart(5, '0')}`;

test('console: a search by a field that the project names uses the index, and leads to the history and the restore of a document', async () => {
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [pathOf(n), customer(n)]));
  const { organization, project, source, backup } = await shop('Shop', { ...many, [pathOf(2_999)]: customer(2_999, 'first') });
  const by = { token: organization.owner.accessToken, org: organization.id, params: { projectId: project.id } };
  const address = `/search?projectId=${project.id}&q=${encodeURIComponent('email == "customer2999@example.com"')}`;
  const { page, check, goTo } = await openConsole({ email: organization.owner.email, path: address });
  const facts = async (): Promise<Readonly<Record<string, string>>> => {
    await page.getByRole('link', { name: pathOf(2_999) }).waitFor();
    const texts = await page.getByRole('definition').allInnerTexts();
    const terms = await page.getByRole('term').allInnerTexts();
    return Object.fromEntries(terms.map((term, n) => [term, texts[n] ?? '']));
  };

  // Nothing is named yet: everything is read, and the page says what would help.
  const scanned = await facts();
  equal(scanned.Index, 'Not used');
  ok(scanned['To read']?.startsWith('3,006 of 3,006 documents\n'), JSON.stringify(scanned));
  ok(scanned['Was read']?.startsWith('3,006 documents\n'), JSON.stringify(scanned));
  ok(/^about \d.* s\nless than US\$0\.01 on AWS$/.test(scanned.Takes ?? ''), JSON.stringify(scanned));
  await page.getByText('The project does not name email as a field to search by').waitFor();
  await check.accessibility();
  await check.screenshots('search-scanned');
  await page.getByRole('link', { name: 'name it in its settings' }).click();
  const named = page.getByLabel('Fields to search by');
  await named.waitFor();
  equal(await named.inputValue(), 'email');
  equal(await page.locator('input:focus').inputValue(), 'email');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The settings are saved', { exact: true }).first().waitFor();
  deepEqual((await call(projects.get, by)).body.data.settings.searchFields, ['email']);

  // The stored backup has no index of it; the next one has.
  await goTo(address);
  equal((await facts()).Index, 'Not used');
  await page.getByText('This backup has no index of email').waitFor();
  await seed(source, { [pathOf(2_999)]: customer(2_999, 'second') });
  const destination = { projectId: project.id, storageDestinationId: backup.storageDestination.id };
  const next = await endOf(organization, (await startBackup(organization, destination)).id);
  equal(next.status, 'completed');
  await seed(source, { [pathOf(2_999)]: customer(2_999, 'a mistake') });
  await goTo(address);
  const indexed = await facts();
  equal(indexed.Index, 'Used');
  const read = Number(/^([\d,]+) documents\n/.exec(indexed['Was read'] ?? '')?.[1]?.replace(',', ''));
  ok(read > 0 && read < 2_000, JSON.stringify(indexed));
  ok(/^[\d,]+ of 3,006 documents\n/.test(indexed['To read'] ?? ''), JSON.stringify(indexed));
  await page.getByText(/^The index rules out [\d,]+ of 3,006 documents/).waitFor();
  await check.accessibility();
  await check.screenshots('search-indexed');

  // Its history, what changed between two states, and the restore of one.
  await page.getByRole('link', { name: pathOf(2_999) }).click();
  const states = page.getByRole('list', { name: 'States of the document' });
  await states.getByText('Backup').nth(1).waitFor();
  const live = page.getByRole('table', { name: `Fields of ${pathOf(2_999)}` }).first();
  await live.getByText('a mistake').waitFor();
  await live.getByText('second').waitFor();
  await page.getByText('What had changed then').waitFor();
  await page.getByRole('button', { name: 'Restore this document' }).waitFor();
  await check.accessibility();
  await check.screenshots('search-history');
  await page.getByRole('button', { name: 'Restore this document' }).click();
  await page.getByRole('heading', { name: 'Restore into Shop' }).waitFor();
  const { status, documentsRestored } = await endOfRestore(organization, new URL(page.url()).pathname.split('/').at(-1) ?? '');
  deepEqual([status, documentsRestored], ['completed', 1]);
  check.problems();
});

test('console: a search within a collection, by id and by path says what each reads; a wrong collection is explained', async () => {
  const { organization, project } = await shop();
  const { page, check } = await openConsole({ email: organization.owner.email, path: `/search?projectId=${project.id}` });
  const field = page.getByLabel('Search for');
  const collection = page.getByLabel('Collection');
  const begin = page.getByRole('main').getByRole('button', { name: 'Search' });
  await field.fill('text exists');
  await collection.fill('orders//1');
  await begin.click();
  await page.getByText('must be the id or the path of a collection').waitFor();
  equal(await collection.getAttribute('aria-invalid'), 'true');
  await check.accessibility();
  await check.screenshots('search-refused');
  await collection.fill('orders');
  await begin.click();
  await page.getByRole('link', { name: 'orders/2' }).waitFor();
  equal(await page.getByRole('main').getByRole('listitem').getByRole('link').count(), 2);
  await page.getByText('An index helps conditions with == only.').waitFor();
  await collection.fill('');
  await field.fill('users/ada');
  await page.keyboard.press('Enter');
  await page.getByText('One document').waitFor();
  await page.getByRole('link', { name: 'users/ada' }).waitFor();
  await field.fill('bob');
  await page.keyboard.press('Enter');
  await page.getByText('6 of 6 names').waitFor();
  await page.getByRole('link', { name: 'users/bob' }).waitFor();
  await check.screenshots('search-id');
  check.problems();
});
