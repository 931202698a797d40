/** Restore tests in a real browser over the stage: a plan, its run, the evidence and the report. */
import { equal, match, ok } from 'node:assert/strict';
import { beforeAll, test } from 'vitest';
import { decodeEvidence } from '../../../shared/archive/index.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { evidence } from '../../../shared/contract/endpoints/protection/evidence.ts';
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import type { RestoreTestReport } from '../../../shared/contract/models/restore-test-evidence.ts';
import { type OpenConsole, openConsole } from '../../harness/browser/open-console.ts';
import { readDownload } from '../../harness/browser/read-download.ts';
import { readPdf } from '../../harness/browser/read-pdf.ts';
import { newProject, takeBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

const script = '<img src=/x onerror="window.stolen=true">';
let organization: TestOrganization;
let console_: OpenConsole;
beforeAll(async () => {
  organization = await newOrganization(undefined, 'Acme');
  await takeBackup(organization);
  await newProject(organization, { name: `Untested ${script}` });
  console_ = await openConsole({ email: organization.owner.email });
});

const inspect = async (name: string): Promise<void> => {
  await console_.check.screenshots(name);
  await console_.check.accessibility();
  ok(!(await console_.page.evaluate(() => 'stolen' in globalThis)), 'a stored text ran as a script');
  console_.check.problems();
};

test('console: a restore test is created, run, and its evidence downloaded', async () => {
  const { page, goTo } = console_;
  await goTo('/restore-tests');
  await page.getByText('No restore tests yet').waitFor();
  await inspect('restore-tests-empty');
  await page.getByRole('link', { name: 'New restore test' }).click();
  await page.getByLabel('Name').fill('Weekly proof');
  await page.getByLabel('Project', { exact: true }).selectOption({ index: 2 });
  await page.getByRole('radio', { name: /A random backup/ }).check();
  await page.getByRole('spinbutton', { name: 'Of the last days' }).fill('14');
  await inspect('restore-test-form');
  await page.getByRole('button', { name: 'Create the restore test' }).click();
  await page.getByRole('heading', { name: 'Weekly proof', exact: true }).waitFor();
  await page.getByText('It has not run yet').waitFor();
  await inspect('restore-test-plan');
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('heading', { name: /^Test of / }).waitFor();
  await page.getByRole('button', { name: 'Download the evidence' }).waitFor();
  await inspect('restore-test-run');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the evidence' }).click(),
  ]);
  match(download.suggestedFilename(), /^rtr_\w+\.json$/);
  equal(decodeEvidence(await readDownload(download)).result, 'passed');
});

test('console: the report says what is proven and what was not tested', async () => {
  const { page, goTo } = console_;
  await goTo('/restore-tests');
  await page.getByRole('link', { name: 'Weekly proof' }).waitFor();
  await inspect('restore-tests');
  await page.locator('#main').getByRole('link', { name: 'Report' }).click();
  await page.getByText('1 of 2 projects was not tested in this period').waitFor();
  await page.getByText('Not tested', { exact: true }).first().waitFor();
  await inspect('restore-test-report');
});

const evidenceObject = async (): Promise<string> => {
  const query = { token: organization.owner.accessToken, org: organization.id, query: {} };
  const { data } = (await call(evidence.report, query)).body as { data: RestoreTestReport };
  return data.projects.flatMap(({ tests }) => tests)[0]?.evidence?.object ?? '?';
};

test('console: printing the report and saving it give the same complete page, on both sizes of paper', async () => {
  const { page, goTo, check } = console_;
  await goTo('/restore-tests/report');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as a page' }).and(page.locator(':not([aria-busy])')).click(),
  ]);
  const saved = await page.context().newPage();
  await saved.setContent((await readDownload(download)).toString());
  const object = await evidenceObject();
  for (const [format, width] of [
    ['A4', 595],
    ['Letter', 612],
  ] as const) {
    const [printed, ofFile] = [readPdf(await page.pdf({ format })), readPdf(await saved.pdf({ format }))];
    const text = printed.map(({ joined }) => joined).join('');
    for (const [n, each] of printed.entries()) {
      equal(Math.floor(each.width), width);
      ok(each.joined.includes(`Page${n + 1}of${printed.length}`), each.joined);
      for (const { x, text: shown } of each.texts) ok(x > 30 && x < width - 30, `${shown} at ${x} of ${width}`);
    }
    ok(text.includes('RestoretestsofAcme') && text.includes(organization.id), text);
    match(text, /Teststhatbeganfrom\d{4}-\d\d-\d\d\d\d:\d\d:\d\dto\d{4}-\d\d-\d\d/);
    ok(text.includes(`by${organization.owner.email}.`), text);
    ok(text.includes('CompletedResultPlanTestedDocumentsWrittenDifferencesRecoveryEvidence'), text);
    ok(text.includes(object) && text.includes('Nothingprovesthatitsbackupsrestore.'), text);
    for (const menu of ['Webhooks', 'Signout', 'Saveasapage', 'Allprojects']) ok(!text.includes(menu), menu);
    equal(text, ofFile.map(({ joined }) => joined).join(''));
  }
  await saved.close();
  check.problems();
  // The page is printed in place of this one only while this one is shown.
  await goTo('/restore-tests');
  await page.getByRole('link', { name: 'Weekly proof' }).waitFor();
  equal(await page.locator('.printed-page').count(), 0);
});

test('console: a test that failed says why, and leads to what comes next', async () => {
  const by = { token: organization.owner.accessToken, org: organization.id };
  const { body } = await call(projects.list, { ...by, query: {} });
  const { id: projectId } = body.data.find(({ name }) => name.startsWith('Untested'))!;
  const plan = { name: 'Nothing to prove', projectId, cron: '0 5 1 * *' };
  const { body: created } = await call(restoreTests.create, { ...by, body: plan });
  const { page, goTo } = console_;
  await goTo(`/restore-tests/${created.data.id}`);
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByText('There was no completed backup to test').waitFor();
  await page.getByText('Back the project up, then test again.').waitFor();
  await inspect('restore-test-failed');
  await page.getByRole('button', { name: 'Back up now' }).click();
  await page
    .getByRole('dialog')
    .getByRole('heading', { name: /back up/i })
    .waitFor();
  await page.keyboard.press('Escape');
  const failed = page.url();
  await page.getByRole('button', { name: 'Test again' }).click();
  await page.waitForURL((url) => url.href !== failed && url.pathname.includes('/restore-tests/runs/'));
});
