/** Erasures in the console, and a masked copy that is planned again. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { planAgain } from '../../../../functions/console/app/pages/restore/plan-again.ts';
import { backupContents } from '../../../../shared/contract/endpoints/backup-contents.ts';
import { erasures } from '../../../../shared/contract/endpoints/protection/erasures.ts';
import { openConsole } from '../../../harness/browser/open-console.ts';
import { shop } from '../../../harness/browser/restore-pages.ts';
import { newProject } from '../../../harness/stage/backup.ts';
import { call } from '../../../harness/stage/client.ts';
import { restore } from '../../../harness/stage/restore.ts';

test('console: documents are erased after a typed confirmation, and the tab says which backup still holds them', async () => {
  const { organization, project, backup } = await shop();
  const by = { token: organization.owner.accessToken, org: organization.id };
  const { page, check } = await openConsole({ email: organization.owner.email, path: `/projects/${project.id}/erasures` });
  await page.getByText('Nothing was erased').waitFor();
  await check.screenshots('erasures-empty');
  await page.getByRole('button', { name: 'Erase documents…' }).click();
  const dialog = page.getByRole('dialog');
  const find = dialog.getByRole('button', { name: 'Find the documents' });
  const confirm = dialog.getByRole('button', { name: 'Erase', exact: true });
  await find.waitFor();
  equal(await find.getAttribute('aria-disabled'), 'true');
  await check.accessibility();
  await dialog.getByLabel('Paths').fill('users');
  await find.click();
  await dialog.getByText(/Line 1 must be the path of a document/).waitFor();
  await check.screenshots('erasure-dialog');
  await dialog.getByLabel('Paths').fill('users/ada\n\nusers/nobody\n');
  await find.click();
  await dialog.getByText('2 documents will be hidden').waitFor();
  deepEqual(await dialog.getByRole('listitem').allInnerTexts(), ['users/ada', 'users/ada/notes/1']);
  equal(await confirm.getAttribute('aria-disabled'), 'true');
  // What scrolls away ends at an edge below the title.
  const scrolled = dialog.locator('.dialog__body[data-scrolled]');
  await dialog.locator('.dialog__body').hover();
  await page.mouse.wheel(0, -2_000);
  await scrolled.waitFor({ state: 'detached' });
  await page.mouse.wheel(0, 60);
  await scrolled.waitFor();
  await dialog.getByLabel('Reason').fill('Request 4711');
  await dialog.getByLabel(/to confirm/).fill('erase');
  await check.screenshots('erasure-dialog-found');
  // Other documents are looked for again before they can be erased.
  await dialog.getByLabel('Paths').fill('users/ada');
  await find.waitFor();
  equal(await confirm.count(), 0);
  await dialog.getByLabel('Paths').fill('users/ada\n\nusers/nobody\n');
  await confirm.click();
  const table = page.getByRole('table', { name: 'Erasures' });
  await table.getByText('2 paths').waitFor();
  const held = table.getByRole('link', { name: 'the last backup that holds them' });
  await held.waitFor();
  equal(await held.getAttribute('href'), `/console/backups/${backup.id}`);
  await page.getByRole('button', { name: 'Erase documents…' }).click();
  await dialog.getByText('By the value of a field').click();
  await check.screenshots('erasure-dialog-value');
  await dialog.getByLabel('Field', { exact: true }).fill('text');
  await dialog.getByLabel('Value', { exact: true }).fill('1');
  await find.click();
  await dialog.getByText(/No document matches|documents? will be hidden/).waitFor();
  await check.screenshots('erasure-dialog-matches');
  await dialog.getByLabel('Reason').fill('Request 4712');
  await dialog.getByLabel(/to confirm/).fill('erase');
  await confirm.click();
  await table.getByText('All collections: text = …').waitFor();
  await table.getByText('Copying to the backups').first().waitFor({ state: 'detached' });
  await check.screenshots('erasures');
  await check.accessibility();
  const listed = (await call(erasures.list, { ...by, params: { projectId: project.id } })).body.data;
  deepEqual(listed.map(({ reason }) => reason).sort(), ['Request 4711', 'Request 4712']);
  const gone = await call(backupContents.documents, { ...by, params: { backupId: backup.id }, query: { path: 'users/ada' } });
  equal(gone.status, 404);
  check.problems();
});

test('console: a masked copy whose rules are too long for an address is planned again with its rules, or not at all', async () => {
  const { organization, backup } = await shop();
  const target = await newProject(organization, { name: 'Staging' });
  const rules = Array.from({ length: 120 }, (_, n) => ({
    collection: 'users',
    field: n === 0 ? 'text' : `field${n}_${'x'.repeat(40)}`,
    transform: 'redact',
  }));
  const body = { backupId: backup.id, targetProjectId: target.id, collections: ['users'] };
  const done = await restore(organization, { ...body, options: { transform: { rules, allowUnmatched: true } } });
  const { page, check } = await openConsole({ email: organization.owner.email, path: planAgain(done) });
  await page.getByText('The copy before was masked').waitFor();
  const on = page.getByRole('button', { name: 'Continue' });
  equal(await on.getAttribute('aria-disabled'), 'true');
  await check.screenshots('restore-mask-lost');
  await check.accessibility();
  // No step of the address leads around it.
  const { href } = new URL(page.url());
  await page.goto(href.replace('step=mask', 'step=plan'));
  await page.getByText('The copy before was masked').waitFor();
  await page.getByRole('button', { name: 'Use its 120 rules' }).click();
  await page.getByRole('button', { name: 'Remove rule 120' }).waitFor();
  equal(await page.getByLabel('Field', { exact: true }).first().inputValue(), 'text');
  await on.click();
  await page.getByRole('heading', { name: 'What should happen to documents that exist?' }).waitFor();
  await page.getByRole('button', { name: 'Make the plan' }).click();
  const masked = page.getByRole('table', { name: 'Rules' });
  await masked.waitFor();
  match(await masked.innerText(), /users[\s\S]*text[\s\S]*Redact/);
  ok(await page.getByText(/120 rules change/).isVisible());
  check.problems();
});
