/** The restore wizard for a viewer, for single documents, and for a masked copy. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { openConsole } from '../../harness/browser/open-console.ts';
import { next, pathsOf, restoresOf, shop, typeName } from '../../harness/browser/restore-pages.ts';
import { newProject } from '../../harness/stage/backup.ts';
import { addMember } from '../../harness/stage/organization.ts';
import { contentsOf, erase, readRestore } from '../../harness/stage/restore.ts';

test('console: a viewer sees the plan of no restore and cannot start one', async () => {
  const { organization, backup } = await shop();
  const viewer = await addMember(organization, 'viewer');
  const { page, check, goTo } = await openConsole({ email: viewer.email, path: '/restores' });
  const button = page.getByRole('button', { name: 'New restore' });
  await button.waitFor();
  equal(await button.getAttribute('aria-disabled'), 'true');
  await goTo(`/restore/new?backupId=${backup.id}&step=plan`);
  await page.getByText('You cannot start a restore').waitFor();
  await page
    .getByText(/Only members, admins and the owner can do this/)
    .first()
    .waitFor();
  await check.screenshots('restore-wizard-viewer');
  await check.accessibility();
  equal(await page.getByRole('button', { name: /^Restore/ }).count(), 0);
  deepEqual(await restoresOf(organization), []);
  check.problems();
});

test('console: a link of another page chooses single documents, and names that the backup lacks are shown', async () => {
  const { organization, source, backup } = await shop();
  await erase(source, ['users/ada', 'users/bob']);
  const documents = ['users/ada', 'users/missing'].map(encodeURIComponent).join(',');
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/restore/new?${new URLSearchParams({ backupId: backup.id, documents })}`,
  });
  equal(await page.getByLabel('Documents', { exact: true }).inputValue(), 'users/ada\nusers/missing');
  await page.getByLabel('Documents', { exact: true }).fill('users');
  await page.getByText(/users is not the path of a document/).waitFor();
  await page.getByLabel('Documents', { exact: true }).fill('users/ada\nusers/missing');
  for (const _ of ['target', 'mode', 'plan']) await next(page);
  await page.getByText('1 document not found in the backup').waitFor();
  await typeName(page, 'Shop');
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('The restore is complete').waitFor();
  await page.getByText('1 document not found in the backup').waitFor();
  await check.screenshots('restore-missing-names');
  await check.accessibility();
  equal((await pathsOf(source)).includes('users/ada'), true);
  equal((await pathsOf(source)).includes('users/bob'), false);
  check.problems();
});

test('console: a collection that is typed but not added is not left out of a restore', async () => {
  const { organization, backup } = await shop();
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/restore/new?${new URLSearchParams({ backupId: backup.id, collections: 'users', step: 'scope' })}`,
  });
  const other = page.getByLabel('Another collection');
  await other.pressSequentially('users/ada/notes');
  const on = page.getByRole('button', { name: 'Continue' });
  await on.click({ force: true });
  await page.getByRole('tooltip', { name: 'Add or clear the collection you typed first' }).waitFor();
  // It is still there after a detour.
  await page.getByRole('button', { name: 'Back' }).click();
  await next(page);
  equal(await other.inputValue(), 'users/ada/notes');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  equal(await page.getByRole('checkbox', { name: 'users/ada/notes' }).isChecked(), true);
  equal(await other.inputValue(), '');
  await next(page);
  await page.getByRole('heading', { name: 'Where should it go?' }).waitFor();
  await page
    .getByRole('button', { name: /^Scope/ })
    .getByText('2 collections')
    .waitFor();
  check.problems();
});

test('console: choices that follow each other faster than the address are all kept', async () => {
  const { organization, backup } = await shop();
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/restore/new?${new URLSearchParams({ backupId: backup.id, scope: 'collections', step: 'scope' })}`,
  });
  for (const name of ['orders', 'users']) await page.getByRole('checkbox', { name }).waitFor();
  const checked = await page.evaluate(`[...document.querySelectorAll('.collections input')].map((box) => {
    box.click();
    return box.checked;
  })`);
  deepEqual(checked, [true, true]);
  await next(page);
  await page
    .getByRole('button', { name: /^Scope/ })
    .getByText('2 collections')
    .waitFor();
  check.problems();
});

test('console: a double click on Continue goes one step on', async () => {
  const { organization, backup } = await shop();
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/restore/new?${new URLSearchParams({ backupId: backup.id, step: 'source' })}`,
  });
  // Whatever of the next step lies under the pointer: a button, or a choice.
  const steps = [
    ['What do you want to restore?', page.getByRole('button', { name: 'Back', exact: true })],
    ['Where should it go?', page.getByRole('button', { name: 'Continue' })],
    ['What should happen to documents that exist?', page.getByRole('radio', { name: /^Only what is missing/ })],
  ] as const;
  for (const [name, below] of steps) {
    await next(page);
    await page.getByRole('heading', { name }).waitFor();
    await below.hover({ force: true });
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.waitForTimeout(200);
    equal(await page.getByRole('heading', { name }).count(), 1);
  }
  equal(await page.getByRole('radio', { name: /^Replace/ }).isChecked(), true);
  check.problems();
});

test('console: data is masked on its way into another project, and the plan shows it before and after', async () => {
  const { organization, source, backup } = await shop();
  const target = await newProject(organization, { name: 'Staging' });
  const { page, check, goTo } = await openConsole({
    email: organization.owner.email,
    path: `/restore/new?${new URLSearchParams({ backupId: backup.id, collections: 'users', step: 'target' })}`,
  });
  await page.getByRole('heading', { name: 'Where should it go?' }).waitFor();
  // Into its own project nothing can be masked.
  equal(await page.getByText('Mask data').count(), 0);
  await page.getByRole('radio', { name: /Staging/ }).check();
  await next(page);
  await page.getByRole('heading', { name: 'Should the copy hide personal data?' }).waitFor();
  await page.getByRole('button', { name: 'Mask data' }).click();
  await page.getByLabel('Collection', { exact: true }).fill('users');
  await page.getByLabel('Transform').selectOption('fake');
  await page.getByLabel('Kind').selectOption('firstName');
  const on = page.getByRole('button', { name: 'Continue' });
  equal(await on.getAttribute('aria-disabled'), 'true');
  await page.getByLabel('Field', { exact: true }).pressSequentially('txet');
  await check.screenshots('restore-mask');
  await check.accessibility();
  await next(page);
  await next(page);
  const refusal = page.getByRole('alert');
  await refusal.getByText('1 rule matches no field of the documents to restore').waitFor();
  match(await refusal.innerText(), /Rule 1: txet in users[\s\S]*Allow rules that match nothing/);
  await check.screenshots('restore-mask-unmatched');
  await check.accessibility();
  await refusal.getByRole('button', { name: 'Change the rules' }).click();
  await page.getByLabel('Field', { exact: true }).fill('a..b');
  await next(page);
  await next(page);
  await refusal.getByText('1 rule is not valid').waitFor();
  const words = await refusal.innerText();
  match(words, /Rule 1, field a\.\.b: [\s\S]*Nothing was written/);
  ok(!words.includes('options.'), words);
  await check.accessibility();
  await refusal.getByRole('button', { name: 'Change the rules' }).click();
  await page.getByLabel('Field', { exact: true }).fill('text');
  await next(page);
  await next(page);
  const changes = page.getByRole('table', { name: 'Changes of users/ada' });
  await changes.waitFor();
  match(await changes.innerText(), /Before[\s\S]*After[\s\S]*text/);
  await check.screenshots('restore-mask-plan');
  await check.accessibility();
  await typeName(page, 'Staging');
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('The restore is complete').waitFor();
  await page.getByText('Masked', { exact: true }).waitFor();
  const [copy, original] = [await contentsOf(target.sourceProjectId), await contentsOf(source)];
  const users = Object.keys(original).filter((path) => /^users\/[^/]+$/.test(path));
  ok(users.length > 0);
  for (const path of users) {
    deepEqual(Object.keys(copy[path] ?? {}), ['text']);
    match(JSON.stringify(copy[path]), /^{"text":{"stringValue":"[A-Z][a-z]+"}}$/);
  }
  const [{ restoreJobId } = { restoreJobId: '' }] = await restoresOf(organization);
  equal((await readRestore(organization, restoreJobId)).transform?.rules, 1);
  await goTo('/restores');
  check.problems();
});
