/** A moment of point-in-time recovery, from the timeline to a file of it. */
import { deepEqual, match } from 'node:assert/strict';
import { test } from 'vitest';
import { capturedShop, localOf, nextSecond, until } from '../../../harness/browser/captured-shop.ts';
import { openConsole } from '../../../harness/browser/open-console.ts';
import { readDownload } from '../../../harness/browser/read-download.ts';
import { endOfExport, filesOf } from '../../../harness/stage/export.ts';
import { erase } from '../../../harness/stage/restore.ts';

test('console: a moment is exported from the timeline, and its file has a document that was deleted since', async () => {
  const { organization, projectId, source, destination, windowAt } = await capturedShop();
  const second = await nextSecond();
  await erase(source, ['users/ada']);
  await until(async () => (await windowAt(second))?.complete === true);
  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/projects/${projectId}/point-in-time`,
  });
  await page.getByLabel('Moment', { exact: true }).fill(localOf(second));
  await page.getByText('Everything is covered').waitFor();
  await page.getByRole('link', { name: 'Export…' }).click();
  await page.getByRole('heading', { name: 'New export' }).waitFor();
  const { searchParams } = new URL(page.url());
  deepEqual([searchParams.get('projectId'), searchParams.get('pointInTime')], [projectId, second]);
  await page.getByText('Shop', { exact: true }).first().waitFor();
  await check.accessibility();
  await check.screenshots('export-moment');
  await page.getByRole('button', { name: 'Make the plan' }).click();
  await page.getByRole('list', { name: 'What will be written' }).waitFor();
  await page.getByText(/is built first; the numbers are those of its base/).waitFor();
  await check.accessibility();
  await check.screenshots('export-moment-plan');
  await page.getByRole('button', { name: 'Export', exact: true }).click();

  await page.getByRole('heading', { name: 'Export of Shop' }).waitFor();
  await page.getByText('The export is complete').waitFor();
  const ended = await endOfExport(organization, page.url().split('/').at(-1) ?? '');
  deepEqual([ended.pointInTime, ended.documents], [second, 2]);
  const steps = page.getByRole('list', { name: 'Timeline' });
  await steps.getByText('Building the backup of the moment').waitFor();
  await steps.getByText('Completed').waitFor();
  const { files } = await filesOf(destination.bucket, ended);
  deepEqual(Object.keys(files), ['part-00001.ndjson']);
  await page.getByRole('table', { name: 'Files' }).getByText('part-00001.ndjson').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download part-00001.ndjson' }).click(),
  ]);
  const saved = await readDownload(download);
  deepEqual(saved, files['part-00001.ndjson']);
  match(String(saved), /"users\/ada"/);
  await check.accessibility();
  await check.screenshots('export-moment-completed');
  check.problems();
});
