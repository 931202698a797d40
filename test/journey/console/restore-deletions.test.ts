/** A restore deletes what its plan showed, or nothing: each result is checked in Firestore. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { openConsole } from '../../harness/browser/open-console.ts';
import { countOf, pathsOf, restoresOf, script, shop, text } from '../../harness/browser/restore-pages.ts';
import { seed } from '../../harness/stage/backup.ts';
import { erase } from '../../harness/stage/restore.ts';

test('console: a rollback shows its deletions, needs the typed name, and deletes nothing that its plan did not show', async () => {
  const { organization, source, backup } = await shop(script);
  await seed(source, { 'users/new': text('later'), [`orders/${script}`]: text('later') });
  const { page, check, goTo } = await openConsole({ email: organization.owner.email });
  const address = `/restore/new?backupId=${backup.id}&mode=rollback&step=plan`;
  await goTo(address);
  const deletions = page.getByRole('region', { name: 'Documents that will be deleted' });
  await deletions.getByText('users/new').waitFor();
  await deletions.getByText(`orders/${script}`).waitFor();
  equal(await page.evaluate("getComputedStyle(document.querySelector('.plan__deletions code')).color"), 'rgb(179, 38, 30)');
  await countOf(page, 'deleted').getByText('2', { exact: true }).waitFor();
  await check.screenshots('restore-wizard-deletes');
  await check.accessibility();

  // Without the name, neither a click nor Enter starts it.
  const start = page.getByRole('button', { name: 'Restore and delete 2 documents' });
  equal(await start.getAttribute('aria-disabled'), 'true');
  await start.click({ force: true });
  await page.getByLabel(/to confirm/).fill('another name');
  await page.getByLabel(/to confirm/).press('Enter');
  equal(await start.getAttribute('aria-disabled'), 'true');
  deepEqual(await restoresOf(organization), []);

  // One more document since the plan: nothing is deleted.
  await seed(source, { 'users/newer': text('later still') });
  const before = await pathsOf(source);
  await page.getByLabel(/to confirm/).fill(script);
  await start.click();
  await page.getByText('Stopped: nothing was written').waitFor();
  deepEqual(await pathsOf(source), before);
  const isNew = page.getByRole('listitem').filter({ has: page.getByText('New', { exact: true }) });
  deepEqual(await isNew.locator('code').allInnerTexts(), ['users/newer']);
  await check.screenshots('restore-plan-changed');
  await check.accessibility();

  await page.getByRole('link', { name: 'See the new plan' }).click();
  await page.getByText('This is a new plan').waitFor();
  await deletions.getByText('1 of them is new since you confirmed.').waitFor();
  deepEqual(await isNew.locator('code').allInnerTexts(), ['users/newer']);
  await check.screenshots('restore-wizard-new-plan');
  await check.accessibility();
  // Back, forward and a reload lead to the plan again, never past it.
  await page.goBack();
  await page.getByText('Stopped: nothing was written').waitFor();
  await page.goForward();
  await deletions.getByText('users/newer').waitFor();
  await page.reload();
  await deletions.getByText('users/newer').waitFor();
  equal(await page.getByLabel(/to confirm/).inputValue(), '');
  deepEqual(await pathsOf(source), before);
  await page.getByLabel(/to confirm/).fill(script);
  await page.getByLabel(/to confirm/).press('Enter');
  await page.getByText('The restore is complete').waitFor();
  equal((await pathsOf(source)).length, 6);
  check.problems();
});

test('console: two tabs, a changed address and an undo after a change delete nothing that their plans did not show', async () => {
  const { organization, source, backup } = await shop();
  await seed(source, { 'users/new': text('later'), 'orders/new': text('later') });
  const { page, check, goTo } = await openConsole({ email: organization.owner.email });
  const deletions = page.getByRole('region', { name: 'Documents that will be deleted' });
  await goTo(`/restore/new?backupId=${backup.id}&collections=users&mode=rollback&step=plan`);
  await deletions.getByText('users/new').waitFor();
  await page.getByLabel(/to confirm/).fill('Shop');

  // Another scope in the address has a plan of its own, and the name is typed again.
  const other = await page.context().newPage();
  await other.goto(page.url());
  const otherDeletions = other.getByRole('region', { name: 'Documents that will be deleted' });
  await otherDeletions.getByText('users/new').waitFor();
  await goTo(`/restore/new?backupId=${backup.id}&scope=all&mode=rollback&step=plan`);
  await deletions.getByText('orders/new').waitFor();
  equal(await page.getByLabel(/to confirm/).inputValue(), '');
  deepEqual(await restoresOf(organization), []);

  // The first tab restores. The plan of the second one is older than the data, and its restore deletes nothing.
  await page.getByLabel(/to confirm/).fill('Shop');
  await page.getByRole('button', { name: 'Restore and delete 2 documents' }).click();
  await page.getByText('The restore is complete').waitFor();
  await seed(source, { 'users/newer': text('later still') });
  const before = await pathsOf(source);
  await other.getByLabel(/to confirm/).fill('Shop');
  await other.getByRole('button', { name: 'Restore and delete 1 document' }).click();
  await other.getByText('Stopped: nothing was written').waitFor();
  deepEqual(await pathsOf(source), before);
  await other.close();

  // Back to the wizard: a new plan, not another start.
  await page.goBack();
  await deletions.getByText('users/newer').waitFor();
  equal(await page.getByLabel(/to confirm/).inputValue(), '');
  await page.goForward();

  // The undo brings two documents back. One that was created again since is part of its plan, or it stops.
  await page.getByRole('button', { name: 'Undo…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2', { exact: true }).first().waitFor();
  await dialog.getByRole('button', { name: 'Undo the restore' }).click();
  await page.getByText('The undo is complete').waitFor();
  deepEqual(await pathsOf(source), [...before, 'orders/new', 'users/new'].sort());
  check.problems();
});

test('console: an undo whose target has changed since its plan stops, and its new plan is confirmed again', async () => {
  const { organization, source, backup } = await shop();
  await erase(source, ['users/ada', 'users/bob']);
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/restore/new?backupId=${backup.id}&step=plan`,
  });
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('The restore is complete').waitFor();
  await page.getByRole('button', { name: 'Undo…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 documents of Shop will be deleted').waitFor();
  await erase(source, ['users/bob']);
  const before = await pathsOf(source);
  await dialog.getByLabel(/Type Shop to confirm/).fill('Shop');
  await dialog.getByRole('button', { name: 'Undo and delete 2 documents' }).click();
  await page.getByText('Stopped: nothing was written').waitFor();
  deepEqual(await pathsOf(source), before);

  await page.getByRole('link', { name: 'See the new plan of the undo' }).click();
  await dialog.getByText('1 document of Shop will be deleted').waitFor();
  await dialog.getByText('It was part of the plan that you had confirmed.').waitFor();
  await check.screenshots('restore-undo-new-plan');
  await check.accessibility();
  await dialog.getByLabel(/Type Shop to confirm/).fill('Shop');
  await dialog.getByRole('button', { name: 'Undo and delete 1 document' }).click();
  await page.getByText('The undo is complete').waitFor();
  equal((await pathsOf(source)).includes('users/ada'), false);
  check.problems();
});
