/** The overview of an organization with hundreds of projects: search, filters, orders and pages in a real browser. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { newId } from '../../../../shared/platform/index.ts';
import { openConsole } from '../../../harness/browser/open-console.ts';
import { newProject, takeBackup } from '../../../harness/stage/backup.ts';
import { stageUrl } from '../../../harness/stage/client.ts';
import { newOrganization } from '../../../harness/stage/organization.ts';
import { itemsOf, putItems } from '../../../harness/stage/table.ts';

/** `PROJECTS=2000` with `--silent=false` prints times of the largest organization that the pages are made for. */
const projectCount = Number(process.env.PROJECTS ?? 300);
/** As the pages write it. */
const total = projectCount.toLocaleString('en');

/** Printed where the size is asked for. */
const note = (what: string, sinceMs: number): void => {
  if (process.env.PROJECTS) console.log(`${total} projects: ${what} ${Math.round(performance.now() - sinceMs)} ms`);
};

test('console: among hundreds of projects, those that are not protected come first, and any is found', async () => {
  const organization = await newOrganization();
  const backup = await takeBackup(organization);
  const forgotten = await newProject(organization, { name: 'Forgotten' });
  const items = await itemsOf(`ORG#${organization.id}`);
  const recordOf = (sk: string) => items.find((item) => item.sk === sk);
  const [project, stored] = [recordOf(`PROJECT#${backup.projectId}`), recordOf(`BACKUP#${backup.id}`)];
  ok(project && stored);
  const now = new Date().toISOString();
  const seededMs = performance.now();
  await putItems(
    Array.from({ length: projectCount - 2 }, (_, n) => {
      const [id, backupId, scheduleId] = [newId('project'), newId('backup'), newId('schedule')];
      const name = `Shop ${String(n).padStart(4, '0')}`;
      const labels = { team: n % 2 === 0 ? 'shop' : 'blog' };
      const proof = { runId: newId('restoreTestRun'), backupId, at: now, documents: 7, documentsWritten: 7 };
      const schedule = {
        pk: project.pk,
        sk: `SCHEDULE#${scheduleId}`,
        id: scheduleId,
        projectId: id,
        name: 'Nightly',
        cron: '0 3 * * *',
        timezone: 'UTC',
        enabled: true,
        storageDestinationId: null,
        nextRunAt: now,
        lastBackupId: null,
        failing: null,
        updatedAt: now,
      };
      return [
        { ...project, sk: `PROJECT#${id}`, id, name, labels, lastBackupId: backupId, ...(n === 7 && { lastRestoreTest: proof }) },
        { ...stored, sk: `BACKUP#${backupId}`, id: backupId, projectId: id, scheduleId },
        ...(n === 3 ? [] : [schedule]),
      ];
    }).flat(),
  );
  note('written to the table', seededMs);
  const openedMs = performance.now();
  const { page, goTo, check } = await openConsole({ email: organization.owner.email });
  const table = page.getByRole('table', { name: 'Projects and their protection' });
  const names = () => table.getByRole('link', { name: /^(Shop \d+|Forgotten|Shop)$/ }).allTextContents();
  await page.getByRole('heading', { name: /^Forgotten is not protected, 2 at risk$/ }).waitFor();
  equal((await names())[0], 'Forgotten');
  note('sign-in and first rows', openedMs);
  equal(await table.getByRole('row').count(), 1 + 50);
  await page.getByText(`${total} projects`, { exact: true }).waitFor();
  await page.getByText('Protected, not verified').first().waitFor();
  equal(await page.getByRole('link', { name: 'Show the project' }).getAttribute('href'), `/console/projects/${forgotten.id}`);
  equal(await table.getByRole('columnheader', { name: 'Protection' }).getAttribute('aria-sort'), 'ascending');
  // Only the sorted column has its arrow.
  deepEqual(
    await page.evaluate("[...document.querySelectorAll('.table__sort > svg')].map((arrow) => getComputedStyle(arrow).opacity)"),
    ['0', '1', '0', '0'],
  );
  await check.screenshots('overview-many');
  await check.accessibility();

  await page.getByRole('button', { name: `Show more, ${(projectCount - 50).toLocaleString('en')} left` }).click();
  await table.getByRole('row').nth(100).waitFor();
  equal(new Set(await table.getByRole('row').allTextContents()).size, 1 + 100);

  const filters = page.getByRole('search', { name: 'Filter projects' });
  const filteredMs = performance.now();
  await filters.getByLabel('Protection').selectOption({ label: 'At risk (2)' });
  await page.getByText(`2 of ${total} projects`).waitFor();
  note('filter', filteredMs);
  await filters.getByLabel('Label').selectOption('team=blog');
  await page.getByText(`1 of ${total} projects`).waitFor();
  deepEqual(await names(), ['Shop 0003']);
  match(page.url(), /protection=at_risk&label=team%3Dblog/);
  const main = page.getByRole('navigation', { name: 'Main' });
  equal(await main.getByRole('link', { name: 'Overview' }).getAttribute('aria-current'), 'page');
  await check.screenshots('overview-filtered');
  await filters.getByRole('button', { name: 'Clear' }).click();

  const searchedMs = performance.now();
  await filters.getByLabel('Search').fill('shop 0007');
  await page.getByText(`1 of ${total} projects`).waitFor();
  note('search', searchedMs);
  await table.getByText('7 of 7 documents written').waitFor();
  await filters.getByLabel('Search').fill('nothing like it');
  await page.getByText('No project matches').waitFor();
  await check.screenshots('overview-none-match');
  await filters.getByRole('button', { name: 'Clear' }).click();

  await table.getByRole('button', { name: 'Project', exact: true }).click();
  await table.getByRole('button', { name: 'Project', exact: true }).click();
  await table.getByRole('link', { name: `Shop ${String(projectCount - 3).padStart(4, '0')}` }).waitFor();
  equal(await table.getByRole('columnheader', { name: 'Project', exact: true }).getAttribute('aria-sort'), 'descending');
  await table.getByRole('button', { name: 'Proven' }).click();
  await table.getByRole('button', { name: 'Proven' }).click();
  await page.waitForURL(/sort=-lastRestoreTest/);
  await table.getByRole('row').nth(1).getByText('7 of 7 documents written').waitFor();

  await goTo('/projects?label=team%3Dshop');
  await page.getByText(`of ${total} projects`).waitFor();
  await page.getByRole('table', { name: 'Projects' }).getByRole('columnheader', { name: 'Documents' }).waitFor();
  await check.screenshots('projects-many');
  check.problems();

  const headers = { 'x-organization-id': organization.id };
  const askedMs = performance.now();
  const answer = await page.request.get(`${stageUrl()}/api/v1/overview`, { headers });
  note(`GET /overview, ${(await answer.body()).length} bytes`, askedMs);
  equal(((await answer.json()) as { data: { matching: number } }).data.matching, projectCount);
});

test('console: labels of a project are saved, and what is wrong with one is said', async () => {
  const organization = await newOrganization();
  const { id } = await newProject(organization, { name: 'Web shop' });
  const { page, check } = await openConsole({ email: organization.owner.email, path: `/projects/${id}/settings` });
  await page.getByLabel(/^Labels/).fill('team=shop, Env=x');
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText(/keys must begin with a small letter/i)
    .first()
    .waitFor();
  await page.getByLabel(/^Labels/).fill('team=shop, env=production');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The settings are saved').waitFor();
  await check.screenshots('project-labels');
  await check.accessibility();
  const records = await itemsOf(`ORG#${organization.id}`);
  deepEqual(records.find(({ sk }) => sk === `PROJECT#${id}`)?.labels, { team: 'shop', env: 'production' });
  check.problems();
});
