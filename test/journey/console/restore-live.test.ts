/** The page of a restore while it waits, after it was cancelled, and with documents that the target has refused. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { untilToast } from '../../harness/browser/note-toasts.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { readDownload } from '../../harness/browser/read-download.ts';
import { pathsOf, shop, text, typeName } from '../../harness/browser/restore-pages.ts';
import { seed } from '../../harness/stage/backup.ts';
import { addFault } from '../../harness/stage/firestore-faults.ts';
import type { TestOrganization } from '../../harness/stage/organization.ts';
import { endOfRestore, erase, readRestore } from '../../harness/stage/restore.ts';
import { itemsOf } from '../../harness/stage/table.ts';

const idOf = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1)!;

/** Confirms the plan that the page shows; returns the id of the restore. */
const start = async (page: Page): Promise<string> => {
  await typeName(page, 'Shop');
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByRole('heading', { name: 'Restore into Shop' }).waitFor();
  return idOf(page);
};

/** A cancelled restore keeps its target locked until its workers have stopped. */
const unlocked = async ({ id }: TestOrganization): Promise<void> => {
  while ((await itemsOf(`ORG#${id}`)).some(({ sk }) => sk.startsWith('JOB#'))) await pause(200);
};

test('console: documents that the target refuses are listed page by page, exported, and written by a resume', async () => {
  const refused = Array.from({ length: 23 }, (_, n) => `refused/${String(n).padStart(2, '0')}`);
  const { organization, source, backup } = await shop('Shop', Object.fromEntries(refused.map((path) => [path, text('x')])));
  const all = await pathsOf(source);
  await erase(source, all);
  // Injected fault: Firestore refuses the contents of these documents.
  const accept = await addFault({
    project: source,
    method: 'BatchWrite',
    contains: '/documents/refused/',
    status: 'INVALID_ARGUMENT',
    message: 'The document is not valid.',
    times: 1_000_000,
  });
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/restore/new?backupId=${backup.id}&step=plan`,
  });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const id = await start(page);
  const { status, documentsFailed, error } = await endOfRestore(organization, id);
  await page.getByText('The restore has failed').waitFor();
  deepEqual([status, documentsFailed, error?.code], ['failed', refused.length, 'COUNT_MISMATCH']);
  deepEqual(
    await pathsOf(source),
    all.filter((path) => !refused.includes(path)),
  );

  await page.getByRole('heading', { name: '23 documents not written' }).waitFor();
  const rows = page.getByRole('table', { name: 'Failures by path' }).locator('tbody tr');
  await rows.nth(19).waitFor();
  equal(await rows.count(), 20);
  match(await rows.first().innerText(), /refused\/00[\s\S]*The database refuses its contents[\s\S]*INVALID_ARGUMENT/);
  await check.screenshots('restore-failures');
  await check.accessibility();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('21 to 23 of 23').waitFor();
  deepEqual(await rows.locator('code').allInnerTexts(), refused.slice(20));
  equal(await page.getByRole('button', { name: 'Next' }).getAttribute('aria-disabled'), 'true');

  await page.getByRole('button', { name: 'Copy paths' }).click();
  await untilToast(page, '23 paths copied');
  equal(await page.evaluate('navigator.clipboard.readText()'), refused.join('\n'));
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  const lines = (await readDownload(download)).toString().split('\r\n');
  equal(lines[0], 'path,code,message');
  match(lines[23]!, /^refused\/22,INVALID_ARGUMENT,/);

  // The same documents as the scope of a new restore.
  await page.getByRole('link', { name: 'Restore them anew…' }).click();
  await page.getByText('23 documents', { exact: true }).first().waitFor();
  await page.goBack();

  await accept();
  await page.getByRole('button', { name: 'Resume' }).click();
  await untilToast(page, 'The restore has been resumed', 'info');
  const ended = await endOfRestore(organization, id);
  await page.getByText('The restore is complete').waitFor();
  deepEqual([ended.status, ended.attempts, ended.documentsFailed, ended.failures], ['completed', 2, 0, []]);
  deepEqual(await pathsOf(source), all);
  check.problems();
});

test('console: a restore that waits for the database says so, is cancelled, and resumed', async () => {
  const { organization, source, backup } = await shop();
  const all = await pathsOf(source);
  await erase(source, all);
  const accept = await addFault({ project: source, method: 'BatchWrite', status: 'RESOURCE_EXHAUSTED', times: 1_000_000 });
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/restore/new?backupId=${backup.id}&step=plan`,
  });
  const id = await start(page);
  await page.getByText(/^Waits for the quota of the database ·/).waitFor();
  await page.getByText(/a quota is used up/).waitFor();
  equal((await readRestore(organization, id)).waitingFor?.reason, 'quota');
  equal(await page.getByRole('list', { name: 'Phases' }).locator('[aria-current=step]').innerText(), 'Writing documents');
  await check.screenshots('restore-waiting');
  await check.accessibility();

  await page.getByRole('button', { name: 'Cancel restore…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this restore?' });
  await dialog.getByRole('button', { name: 'Keep it running' }).click();
  equal((await readRestore(organization, id)).status, 'running');
  await page.getByRole('button', { name: 'Cancel restore…' }).click();
  await check.screenshots('restore-cancel');
  await check.accessibility();
  await dialog.getByRole('button', { name: 'Cancel the restore' }).click();
  await page.getByText('The restore was cancelled').waitFor();
  await page.getByText('Nothing was written before.').waitFor();
  equal((await readRestore(organization, id)).status, 'cancelled');
  deepEqual(await pathsOf(source), []);

  await accept();
  await unlocked(organization);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('The restore is complete').waitFor();
  deepEqual(await pathsOf(source), all);
  check.problems();
});

test('console: a cancelled rollback is resumed only after its deletions were shown and confirmed', async () => {
  const { organization, source, backup } = await shop();
  const all = await pathsOf(source);
  await seed(source, { 'users/new': text('later') });
  const accept = await addFault({ project: source, method: 'BatchWrite', status: 'RESOURCE_EXHAUSTED', times: 1_000_000 });
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/restore/new?backupId=${backup.id}&mode=rollback&step=plan`,
  });
  await typeName(page, 'Shop');
  await page.getByRole('button', { name: 'Restore and delete 1 document' }).click();
  await page.getByRole('heading', { name: 'Restore into Shop' }).waitFor();
  const id = idOf(page);
  while ((await readRestore(organization, id)).phase !== 'Restoring') await pause(100);
  await page.getByRole('button', { name: 'Cancel restore…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the restore' }).click();
  await page.getByText('The restore was cancelled').waitFor();
  await accept();
  await unlocked(organization);

  await page.getByRole('button', { name: 'Resume…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resume this restore?' });
  await dialog.getByText('1 document of Shop will be deleted').waitFor();
  await dialog.getByText('users/new').waitFor();
  await check.screenshots('restore-resume-deletes');
  await check.accessibility();
  const confirm = dialog.getByRole('button', { name: 'Resume and delete' });
  equal(await confirm.getAttribute('aria-disabled'), 'true');
  await confirm.click({ force: true });
  equal((await readRestore(organization, id)).status, 'cancelled');
  await dialog.getByRole('textbox').fill('Shop');
  await confirm.click();
  await page.getByText('The restore is complete').waitFor();
  deepEqual(await pathsOf(source), all);
  check.problems();
});

test('console: a rollback that was cancelled before its plan was finished is planned again, not resumed', async () => {
  const { organization, source, backup } = await shop();
  await seed(source, { 'users/new': text('later') });
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/restore/new?backupId=${backup.id}&mode=rollback&step=plan`,
  });
  await typeName(page, 'Shop');
  const answer = await addFault({ project: source, delayMs: 20_000, times: 1_000 });
  await page.getByRole('button', { name: 'Restore and delete 1 document' }).click();
  await page.getByRole('heading', { name: 'Restore into Shop' }).waitFor();
  await page.getByRole('button', { name: 'Cancel restore…' }).click();
  await page.getByRole('dialog').getByText('Nothing was written yet.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the restore' }).click();
  await page.getByText('The restore was cancelled').waitFor();
  equal((await readRestore(organization, idOf(page))).plan, null);
  await answer();
  await unlocked(organization);
  equal(await page.getByRole('button', { name: /Resume/ }).count(), 0);
  await page.getByRole('link', { name: 'Plan again' }).click();
  await page.getByRole('region', { name: 'Documents that will be deleted' }).getByText('users/new').waitFor();
  equal(await page.getByLabel(/to confirm/).inputValue(), '');
  equal((await pathsOf(source)).includes('users/new'), true);
  check.problems();
});
