/** The restore wizard, the page of a restore and the history, over a stage: each result is checked in Firestore. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { test } from 'vitest';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { countOf, next, pathsOf, restoresOf, scriptedPath, shop, typeName } from '../../harness/browser/restore-pages.ts';
import { bucketClient } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { erase, startRestore } from '../../harness/stage/restore.ts';

test('console: a deleted collection is restored through the wizard, and the restore is undone', async () => {
  const { organization, source, backup } = await shop();
  const all = await pathsOf(source);
  const lost = all.filter((path) => path.startsWith('users/'));
  const { page, check, goTo } = await openConsole({ email: organization.owner.email, path: '/restores' });
  await page.getByText('Nothing was restored yet').waitFor();
  await check.screenshots('restores-empty');
  await check.accessibility();
  await erase(source, lost);
  deepEqual(await pathsOf(source), ['orders/1', 'orders/2']);

  await page.getByRole('button', { name: 'New restore' }).click();
  await page.getByRole('heading', { name: 'What do you want to restore from?' }).waitFor();
  await page.getByRole('radio', { name: /6 documents/ }).check();
  await check.screenshots('restore-wizard-source');
  await check.accessibility();
  await next(page);
  await page.getByRole('radio', { name: /^Collections/ }).check();
  await page.getByRole('checkbox', { name: 'users' }).check();
  await check.screenshots('restore-wizard-scope');
  await check.accessibility();
  // The choices are in the address.
  await page.reload();
  equal(await page.getByRole('checkbox', { name: 'users' }).isChecked(), true);
  await next(page);
  await page.getByRole('heading', { name: 'Where should it go?' }).waitFor();
  await check.screenshots('restore-wizard-target');
  await check.accessibility();
  await next(page);
  await page.getByRole('radio', { name: /^Only what is missing/ }).check();
  await page.goBack();
  await page.getByRole('heading', { name: 'Where should it go?' }).waitFor();
  await page.goForward();
  equal(await page.getByRole('radio', { name: /^Only what is missing/ }).isChecked(), true);
  await page.getByRole('radio', { name: /^Replace/ }).check();
  await check.screenshots('restore-wizard-mode');
  await check.accessibility();
  await next(page);

  await countOf(page, 'created').getByText('4', { exact: true }).waitFor();
  await page.getByText(scriptedPath).waitFor();
  await check.screenshots('restore-wizard-plan');
  await check.accessibility();
  deepEqual(await restoresOf(organization), []);
  await typeName(page, 'Shop');
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('The restore is complete').waitFor();
  deepEqual(await pathsOf(source), all);
  await check.screenshots('restore-completed');
  await check.accessibility();

  await page.getByRole('button', { name: 'Undo' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('4 documents of Shop will be deleted').waitFor();
  deepEqual(await pathsOf(source), all);
  await check.screenshots('restore-undo-plan');
  await check.accessibility();
  await dialog.getByLabel(/Type Shop to confirm/).fill('Shop');
  await dialog.getByRole('button', { name: 'Undo and delete 4 documents' }).click();
  await page.getByText('The undo is complete').waitFor();
  deepEqual(await pathsOf(source), ['orders/1', 'orders/2']);

  await goTo('/restores');
  await page.getByRole('table', { name: 'Restores' }).getByText('Plan only').waitFor();
  const jobs = page.getByRole('table', { name: 'Restores' }).getByRole('row');
  const undoing = jobs.filter({ has: page.getByRole('cell', { name: 'Undo', exact: true }) });
  await undoing.getByText('4 deleted').waitFor();
  await jobs
    .filter({ hasNot: page.getByRole('cell', { name: 'Undo', exact: true }) })
    .getByText('Undone', { exact: true })
    .waitFor();
  await check.screenshots('restores');
  await check.accessibility();
  // Days are those of the person's zone.
  const asked = page.waitForRequest(/backup.*from=/);
  await page.getByLabel('From').fill('2026-07-01');
  const { searchParams } = new URL((await asked).url());
  equal(searchParams.get('from'), '2026-06-30T22:00:00.000Z');
  await page.getByLabel('From').fill('');
  await page.getByLabel('Status').selectOption('failed');
  await page.getByText('No restore matches').waitFor();
  match(page.url(), /status=failed/);
  await page.getByRole('button', { name: 'Show all restores' }).click();
  const rows = page.getByRole('table', { name: 'Restores' }).getByRole('row');
  await rows.nth(3).waitFor();
  equal(await rows.count(), 4);

  // Someone deletes the key object of the backup, which a restore does not need.
  const by = { token: organization.owner.accessToken, org: organization.id };
  const { id } = backup.storageDestination;
  const { bucket } = (await call(storageDestinations.get, { ...by, params: { storageId: id } })).body.data;
  await bucketClient().send(new DeleteObjectCommand({ Bucket: bucket, Key: `${backup.path}/key` }));
  const { restoreJobId } = await startRestore(organization, { backupId: backup.id });
  await goTo(`/restores/${restoreJobId}`);
  await page.getByText('The restore is complete, with exceptions').waitFor();
  await page.getByText('1 problem found in the storage of the backup').waitFor();
  await page.getByText('The key of the backup is missing in the destination').waitFor();
  await check.screenshots('restore-findings');
  await check.accessibility();
  check.problems();
});
