/** The report for an auditor in a real browser over the stage: the page, print, files, and the same from the command line. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { reports } from '../../../shared/contract/endpoints/protection/reports.ts';
import { newIdOf, unsafeTenant } from '../../../shared/platform/index.ts';
import { restoreTestKey } from '../../../shared/restore-test/index.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { readDownload } from '../../harness/browser/read-download.ts';
import { readPdf } from '../../harness/browser/read-pdf.ts';
import { parseCsv } from '../../harness/builders/parse-csv.ts';
import { sampleRun } from '../../harness/builders/sample-test-run.ts';
import { newProject, takeBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { addMember, newOrganization } from '../../harness/stage/organization.ts';
import { putItems } from '../../harness/stage/table.ts';

test('console: the report of a period is shown, printed, saved and exported, for admins only', async () => {
  const organization = await newOrganization(undefined, 'Acme');
  await takeBackup(organization);
  await newProject(organization, { name: 'Untested <b>' });
  const { page, check, goTo } = await openConsole({ email: organization.owner.email, path: '/report' });
  // The page that is printed has the same texts, apart from it.
  const shown = page.getByRole('main').first();
  await shown.getByText('2 of 2 projects were not tested in this period').waitFor();
  await shown.getByText('No backup failed in this period.').waitFor();
  await shown.getByRole('table', { name: 'Changes' }).getByText('Storage: created').waitFor();
  await shown.getByRole('table', { name: 'Backups by project' }).getByText('Untested <b>').waitFor();
  const change = shown.getByRole('table', { name: 'Changes' }).getByRole('row').filter({ hasText: 'Storage: created' });
  await change.getByText('bucket').first().waitFor();
  await shown.getByRole('table', { name: 'Backups by project' }).getByRole('columnheader', { name: 'Locked' }).waitFor();
  await check.screenshots('report');
  await check.accessibility();

  const paper = readPdf(await page.pdf({ format: 'A4' }));
  match(paper.map(({ joined }) => joined).join(''), /ProtectionofAcme.*Untested/);

  const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  const lines = parseCsv((await readDownload(csv)).toString());
  ok(
    lines.some(([list, project, completed]) => list === 'Backups by project' && project === 'Untested <b>' && completed === '0'),
  );
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as a page' }).click(),
  ]);
  match((await readDownload(saved)).toString(), /Untested &lt;b&gt;/);

  await page.getByRole('button', { name: 'Last year' }).click();
  await page.waitForURL(/from=\d{4}-01-01&to=\d{4}-12-31/);
  await shown.getByText('Nothing was changed in this period.').waitFor();
  await check.screenshots('report-empty');
  await goTo('/report?from=2020-01-01&to=2026-01-01');
  await shown.getByText('From must be at most 366 days before to.').waitFor();
  await check.screenshots('report-failing');
  check.problems();

  const member = await addMember(organization, 'member');
  const refused = await call(reports.protection, { token: member.accessToken, org: organization.id });
  equal(refused.status, 403);
});

// Of restore tests that failed with long messages an answer cannot hold a month, but twelve days.
test('console: a period that is too long for one answer is read in parts, which are shown as one report', async () => {
  const organization = await newOrganization(undefined, 'Acme');
  const project = await newProject(organization, { name: 'Shop' });
  const tenant = unsafeTenant(organization.id, 'record');
  const error = { code: 'SOURCE_AUTH_ERROR' as const, message: 'x'.repeat(70_000), details: {} };
  const days = Array.from({ length: 88 }, (_, n) => new Date(Date.now() - (n + 1) * 8 * 3_600_000));
  await putItems(
    days.map((day) => {
      const id = newIdOf('restoreTestRun', day);
      const own = { projectId: project.id, projectName: project.name, completedAt: day.toISOString() };
      return { ...sampleRun({ id, ...own, status: 'failed', error }), differenceTotal: 0, ...restoreTestKey.run(tenant, id) };
    }),
  );
  const { page, goTo } = await openConsole({ email: organization.owner.email, path: '/projects' });
  const asked: (string | null)[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/reports/protection') && searchParams.get('format') === 'json') asked.push(searchParams.get('from'));
  });
  await goTo('/report');
  const tests = page.getByRole('main').first().getByRole('table', { name: 'Projects' });
  await tests.getByRole('row').filter({ hasText: 'Shop' }).getByRole('cell', { name: '88', exact: true }).waitFor();
  deepEqual([asked.length, asked[0]], [4, null], 'the whole period, and its three parts');
});
