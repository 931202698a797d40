/** Restore tests in a real browser over the stage: a plan, its run, the evidence and the report. */
import { equal, match, ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, test } from 'vitest';
import { decodeEvidence } from '../../../shared/archive/index.ts';
import { closeBrowser, type OpenConsole, openConsole } from '../../harness/browser/open-console.ts';
import { newProject, takeBackup } from '../../harness/stage/backup.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

afterAll(closeBrowser);

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
  equal(decodeEvidence(await readFile(await download.path())).result, 'passed');
});

test('console: the report says what is proven and what was not tested', async () => {
  const { page, goTo } = console_;
  await goTo('/restore-tests');
  await page.getByRole('link', { name: 'Weekly proof' }).waitFor();
  await inspect('restore-tests');
  await page.getByRole('link', { name: 'Report' }).click();
  await page.getByText('1 of 2 projects was not tested in this period').waitFor();
  await page.getByText('Not tested', { exact: true }).first().waitFor();
  await inspect('restore-test-report');
});
