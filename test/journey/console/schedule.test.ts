/** Schedules in the console: built, run, paused, changed and deleted. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';
import { untilToast } from '../../harness/browser/note-toasts.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { endOf, newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });
const schedulesOf = async (organization: TestOrganization) => (await call(schedules.list, by(organization))).body.data;
const attack = '<script>alert(1)</script>';
const longName = 'Ä'.repeat(100);

test('console: a schedule is built with its next runs shown, run at once, and warns of unknown collections', async () => {
  const organization = await newOrganization();
  const destination = await newDestination(organization);
  const project = await newProject(organization, { name: longName, settings: { defaultStorageId: destination.id } });
  await seed(project.sourceProjectId, { 'users/ada': { name: { stringValue: 'Ada' } } });
  const { page, check, goTo } = await openConsole({ email: organization.owner.email });
  await goTo(`/projects/${project.id}/schedules`);
  await page.getByRole('link', { name: 'New schedule' }).click();
  await page.getByRole('heading', { name: 'New schedule' }).waitFor();
  await check.accessibility();
  await check.screenshots('schedule-new');

  // A mistake in an own expression is explained before anything is sent.
  await page.getByRole('button', { name: 'Custom' }).click();
  await page.getByLabel('Cron expression').fill('* * * * *');
  await page.getByText('Must leave at least 5 minutes between runs').waitFor();

  await page.getByRole('button', { name: 'Weekly' }).click();
  await page.getByRole('button', { name: 'Wed', exact: true }).click();
  await page.getByLabel('At', { exact: true }).fill('04:15');
  await page.getByLabel('Time zone').selectOption('America/New_York');
  const runs = page.getByRole('list', { name: 'The next 5 runs' }).locator('time');
  equal(await runs.count(), 5);
  const shown = await runs.evaluateAll((times) => times.map((time) => (time as unknown as { dateTime: string }).dateTime));
  for (const run of await runs.allInnerTexts()) match(run, /^(Sun|Wed),? .*04:15 GMT-[45]$/);
  await page.getByRole('button', { name: 'Only some' }).click();
  await page.getByLabel('Paths, one per line').fill('users\nuserz');
  await page.getByText('Not in the database now').waitFor();
  await page.getByLabel('Months').fill('3');
  await page.getByText(/^If every run succeeds, \d+ backups are kept/).waitFor();
  // The calendar in words.
  await page.getByText('Which days').click();
  equal((await page.locator('.retention__list li', { hasText: 'the last of its day, week, month' }).count()) > 0, true);
  ok(await page.getByText('No run', { exact: true }).isVisible());
  await check.accessibility();
  await check.screenshots('schedule-filled');

  await page.getByLabel('Name', { exact: true }).fill(attack);
  await page.getByRole('button', { name: 'Create the schedule' }).click();
  await page.getByRole('heading', { level: 1, name: attack }).waitFor();
  const [made] = await schedulesOf(organization);
  deepEqual(
    [made?.name, made?.cron, made?.timezone, made?.collections, made?.retentionPolicy, made?.type],
    [
      attack,
      '15 4 * * 0,3',
      'America/New_York',
      ['users', 'userz'],
      { daily: 7, weekly: 4, monthly: 3, yearly: 0 },
      'incremental',
    ],
  );
  // The console computes runs as the service does.
  equal(made?.nextRunAt, shown[0]);

  await page.getByRole('button', { name: 'Run now' }).click();
  await page.waitForURL(/\/backups\/bkp_/);
  const backupId = page.url().split('/').at(-1) ?? '';
  equal((await endOf(organization, backupId)).status, 'completed');
  const { data: backup } = (await call(backups.get, { ...by(organization), params: { backupId } })).body;
  equal(backup.scheduleId, made?.id);

  // Once the size of the project is known, the form says what a schedule costs.
  await goTo(`/schedules/new?projectId=${project.id}`);
  await page
    .getByText(/A run reads about 1 document, for which Google bills less than .*: less than .* for \d+ runs in 30 days/)
    .waitFor();

  await goTo(`/schedules/${made?.id}`);
  await page.getByText('Every Wednesday and Sunday at 04:15').waitFor();
  await page.getByText('Not in the database: userz').waitFor();
  await page.getByRole('row').getByText('Completed').waitFor();
  await check.accessibility();
  await check.screenshots('schedule');
  await goTo('/schedules');
  await page.getByRole('link', { name: attack }).waitFor();
  await page.getByText('Collections missing').waitFor();
  await page.getByRole('link', { name: longName }).waitFor();
  // A name of one long word breaks; the page does not become wider than the window.
  ok(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'));
  await check.accessibility();
  await check.screenshots('schedules');
  check.problems();
});

test('console: a schedule is paused, resumed, changed, and deleted only after its name is typed', async () => {
  const organization = await newOrganization();
  const destination = await newDestination(organization);
  const project = await newProject(organization, { name: 'Shop' });
  const body = {
    projectId: project.id,
    name: 'Nightly',
    cron: '30 2 * * *',
    storageDestinationId: destination.id,
    retention: 30,
  };
  const { id } = (await call(schedules.create, { ...by(organization), body })).body.data;
  const current = async () => (await call(schedules.get, { ...by(organization), params: { scheduleId: id } })).body.data;
  const { page, check } = await openConsole({ email: organization.owner.email, path: '/schedules' });
  // The menu is reached by keyboard alone.
  await page.getByRole('button', { name: 'More actions for Nightly' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Pause' }).press('Enter');
  await untilToast(page, 'Nightly is paused');
  deepEqual([(await current()).enabled, (await current()).nextRunAt], [false, null]);
  await page.getByRole('link', { name: 'Nightly' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await untilToast(page, 'Nightly runs again');
  equal((await current()).enabled, true);

  await page.getByRole('link', { name: 'Edit' }).click();
  equal(await page.getByLabel('At', { exact: true }).inputValue(), '02:30');
  await page.getByRole('button', { name: 'Forever' }).click();
  await page.getByRole('button', { name: 'Hourly' }).click();
  await page.getByLabel('At minute').fill('20');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Every hour at :20').waitFor();
  const changed = await current();
  deepEqual([changed.cron, changed.retention, changed.retentionPolicy], ['20 * * * *', null, null]);

  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Nightly?' });
  const confirm = dialog.getByRole('button', { name: 'Delete the schedule' });
  equal(await confirm.getAttribute('aria-disabled'), 'true');
  await dialog.getByRole('textbox').fill('Nightly');
  await confirm.click();
  await page.getByRole('heading', { name: 'No schedules yet' }).waitFor();
  deepEqual(await schedulesOf(organization), []);
  check.problems();
});
