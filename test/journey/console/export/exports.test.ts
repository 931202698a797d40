/** The pages of exports over a stage: the files of what a person starts are read from the bucket. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { test } from 'vitest';
import { auditLogs } from '../../../../shared/contract/endpoints/audit-logs.ts';
import { storageDestinations } from '../../../../shared/contract/endpoints/storage-destinations.ts';
import { openConsole } from '../../../harness/browser/open-console.ts';
import { readDownload } from '../../../harness/browser/read-download.ts';
import { shop } from '../../../harness/browser/restore-pages.ts';
import { parseCsv } from '../../../harness/builders/parse-csv.ts';
import { startOutage } from '../../../harness/stage/bucket.ts';
import { call } from '../../../harness/stage/client.ts';
import { endOfExport, exportAll, filesOf, startExport } from '../../../harness/stage/export.ts';

type Shop = Awaited<ReturnType<typeof shop>>;
const by = ({ owner, id }: Shop['organization']) => ({ token: owner.accessToken, org: id });

const bucketOf = async ({ organization, backup }: Shop): Promise<string> => {
  const params = { storageId: backup.storageDestination.id };
  return (await call(storageDestinations.get, { ...by(organization), params })).body.data.bucket;
};

test('console: a backup is exported as CSV from its menu, after a refused column and a plan', async () => {
  const made = await shop();
  const { organization, backup } = made;
  const { page, check } = await openConsole({ email: organization.owner.email, path: `/backups/${backup.id}` });
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Export…' }).click();
  await page.getByRole('heading', { name: 'New export' }).waitFor();
  await page.getByText('6 documents').waitFor();
  await page.getByRole('radio', { name: /^Collections/ }).check();
  await page.getByRole('checkbox', { name: 'users' }).check();
  await page.getByRole('radio', { name: /^CSV/ }).check();
  const columns = page.getByRole('textbox', { name: /^Columns/ });
  await columns.fill('__path__\na..b');
  await page.getByRole('button', { name: 'Make the plan' }).click();
  await page.getByText(/^a\.\.b must be the path of a field/).waitFor();
  equal(await columns.getAttribute('aria-invalid'), 'true');
  await page.locator('textarea:focus').waitFor();
  await check.screenshots('export-refused');
  await check.accessibility();

  await columns.fill('__path__\ntext');
  await page.getByRole('button', { name: 'Make the plan' }).click();
  const plan = page.getByRole('list', { name: 'What will be written' });
  await plan.getByText('4', { exact: true }).waitFor();
  await check.screenshots('export-plan');
  await check.accessibility();
  // A change needs a new plan.
  await columns.fill('__path__');
  await plan.waitFor({ state: 'detached' });
  await columns.fill('__path__\ntext');
  await page.getByRole('button', { name: 'Export', exact: true }).click();

  await page.getByText('The export is complete').waitFor();
  const id = page.url().split('/').at(-1) ?? '';
  const ended = await endOfExport(organization, id);
  const { files } = await filesOf(await bucketOf(made), ended);
  deepEqual(Object.keys(files).sort(), ['notes/part-00001.csv', 'users/part-00001.csv']);
  deepEqual(parseCsv(String(files['users/part-00001.csv'])).slice(0, 3), [
    ['__path__', 'text'],
    ['users/<img src=x onerror=alert(1)>', 'x'],
    ['users/ada', 'a'],
  ]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download users/part-00001.csv' }).click(),
  ]);
  equal(download.suggestedFilename(), 'users_part-00001.csv');
  deepEqual(await readDownload(download), files['users/part-00001.csv']);
  const query = { resourceId: id, action: 'export.downloaded' };
  const { data: entries } = (await call(auditLogs.list, { ...by(organization), query })).body;
  deepEqual(
    entries.map(({ details }) => details.file),
    ['users/part-00001.csv'],
  );
  await page.getByText(ended.path, { exact: true }).waitFor();
  await page.getByRole('list', { name: 'Timeline' }).getByText('Completed').waitFor();
  await check.screenshots('export-completed');
  await check.accessibility();
  check.problems();
});

test('console: exports are listed and filtered, and the choices of one begin another', async () => {
  const { organization, backup } = await shop();
  const { page, check, goTo } = await openConsole({ email: organization.owner.email, path: '/exports' });
  await page.getByText('Nothing was exported yet').waitFor();
  await check.screenshots('exports-empty');
  await check.accessibility();
  const columns = ['__path__', 'text'];
  const { id } = await exportAll(organization, { backupId: backup.id, collections: ['users'], format: 'csv', columns });
  await goTo('/exports');
  const table = page.getByRole('table', { name: 'Exports' });
  await table.getByText('CSV').waitFor();
  match(await table.innerText(), /Completed[\s\S]*Shop[\s\S]*4/);
  await check.screenshots('exports');
  await check.accessibility();
  await page.getByLabel('Status').selectOption('failed');
  await page.getByText('No export matches').waitFor();
  await page.getByRole('button', { name: 'Show all exports' }).click();
  await table.getByText('CSV').waitFor();

  // The choices of an export begin another one.
  await goTo(`/exports/${id}`);
  await page.getByRole('link', { name: 'Export again…' }).click();
  equal(await page.getByRole('textbox', { name: /^Columns/ }).inputValue(), '__path__\ntext');
  equal(await page.getByRole('checkbox', { name: 'users' }).isChecked(), true);
  check.problems();
});

test('console: an export waits for its bucket, and is cancelled after a confirmation', async () => {
  const made = await shop();
  const { organization, backup } = made;
  const endOutage = await startOutage(await bucketOf(made));
  const { id } = await startExport(organization, { backupId: backup.id, format: 'ndjson' });
  const { page, check } = await openConsole({ email: organization.owner.email, path: `/exports/${id}` });
  await page.getByText(/^Waits for the bucket ·/).waitFor();
  await page.getByRole('progressbar').waitFor();
  await check.screenshots('export-waits');
  await check.accessibility();
  await page.getByRole('button', { name: 'Cancel export…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this export?' });
  await dialog.getByText('the files that it has written are deleted').waitFor();
  await dialog.getByRole('button', { name: 'Cancel the export' }).click();
  await endOutage();
  await page.getByText('The export was cancelled').waitFor();
  const ended = await endOfExport(organization, id);
  deepEqual([ended.status, ended.manifest], ['cancelled', null]);
  await check.screenshots('export-cancelled');
  await check.accessibility();
  check.problems();
});

test('console: an export is masked by rules, and one whose rule finds nothing says what to do', async () => {
  const made = await shop();
  const { organization, backup } = made;
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/exports/new?backupId=${backup.id}&format=ndjson`,
  });
  await page.getByText('6 documents').waitFor();
  await page.getByRole('button', { name: 'Mask data' }).click();
  await page.getByRole('textbox', { name: 'Field' }).fill('a..b');
  await page.getByRole('button', { name: 'Make the plan' }).click();
  await page.locator('input[aria-invalid=true]:focus').waitFor();
  await check.screenshots('export-refused-rule');
  await check.accessibility();
  await page.getByRole('textbox', { name: 'Field' }).fill('email');
  await page.getByRole('button', { name: 'Make the plan' }).click();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByText('The export has failed').waitFor();
  await page.getByText('Correct the rules that mask the documents, then export again.').waitFor();
  await check.screenshots('export-failed');
  await check.accessibility();
  // A masked export is not repeated unmasked by mistake.
  await page.getByRole('link', { name: 'Export again…' }).click();
  const plan = page.getByRole('button', { name: 'Make the plan' });
  await page.getByText('The export before was masked').waitFor();
  equal(await plan.getAttribute('aria-disabled'), 'true');
  await page.getByRole('button', { name: 'Mask data' }).click();
  await page.getByRole('textbox', { name: 'Field' }).fill('text');
  const recipient = await identityToRecipient(await generateIdentity());
  const keys = page.getByRole('textbox', { name: 'Encrypt for, one public key per line' });
  await keys.fill(recipient.slice(0, -1));
  await plan.click();
  await page.getByText(`${recipient.slice(0, -1)} must be a public key of age`).waitFor();
  await keys.fill(recipient);
  await plan.click();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByText('The export is complete').waitFor();
  const ended = await endOfExport(organization, page.url().split('/').at(-1) ?? '');
  deepEqual([ended.transform?.documentsTransformed, ended.recipients], [6, [recipient]]);
  await page.getByText('part-00001.ndjson.age').first().waitFor();
  await check.screenshots('export-encrypted');
  check.problems();
});

test('console: an export whose bucket refused is resumed from its page', async () => {
  const made = await shop();
  const { organization, backup } = made;
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/exports/new?backupId=${backup.id}&format=ndjson`,
  });
  await page.getByText('6 documents').waitFor();
  await page.getByRole('button', { name: 'Make the plan' }).click();
  const begin = page.getByRole('button', { name: 'Export', exact: true });
  await begin.waitFor();
  const allow = await startOutage(await bucketOf(made), 'denied');
  await begin.click();
  await page.getByText('The export has failed').waitFor();
  await page.getByText('Until then it can go on where it stopped.').waitFor();
  await check.screenshots('export-resumable');
  await check.accessibility();
  await allow();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('The export is complete').waitFor();
  check.problems();
});
