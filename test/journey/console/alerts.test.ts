/** The page Alerts in a real browser over the stage: channels, tests, incidents and their messages. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { type AlertProviders, startAlertProviders } from '../../harness/alert/alert-providers.ts';
import { untilToast } from '../../harness/browser/note-toasts.ts';
import { type OpenConsole, openConsole } from '../../harness/browser/open-console.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { revokeSource } from '../../harness/stage/firestore-faults.ts';
import { untilMails } from '../../harness/stage/mail.ts';
import { addMember, newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import type { Person } from '../../harness/stage/person.ts';

/** Would run if any page inserted it as markup. The page checks report the failed request for the image. */
const script = '<img src=/x onerror="window.stolen=true">';
const slackName = `Ops ${script}`;
const projectName = `Shop ${script}`;

let organization: TestOrganization;
let by: { readonly token: string; readonly org: string };
let viewer: Person;
let providers: AlertProviders;
let console_: OpenConsole;
beforeAll(async () => {
  organization = await newOrganization(undefined, 'Acme');
  by = { token: organization.owner.accessToken, org: organization.id };
  viewer = await addMember(organization, 'viewer');
  providers = await startAlertProviders();
  console_ = await openConsole({ email: organization.owner.email });
});
afterAll(() => providers.stop());

/** What every page must satisfy. */
const inspect = async (name: string): Promise<void> => {
  await console_.check.screenshots(name);
  await console_.check.accessibility();
  ok(!(await console_.page.evaluate(() => 'stolen' in globalThis)), 'a stored text ran as a script');
  console_.check.problems();
};

const listed = async () => (await call(alerts.list, by)).body.data;

test('console: a new organization has the default alert, and the page explains it', async () => {
  const { page, goTo } = console_;
  await goTo('/alerts');
  await page.getByText('No open incidents').waitFor();
  const [standard] = await listed();
  ok(standard);
  await page.getByRole('link', { name: standard.name }).click();
  await page.getByText('The default alert').waitFor();
  await page.getByText('The owner of the organization', { exact: true }).waitFor();
  await inspect('alert-default');
  await page.getByRole('button', { name: 'Send a test…' }).click();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByRole('dialog').getByText('Sent', { exact: true }).waitFor();
  const [mail] = await untilMails(organization.owner.email);
  match(mail?.subject ?? '', /^Test: /);
});

test('console: a Slack alert is added with its address, tested, limited and refused, and the answers are shown', async () => {
  const { page, goTo } = console_;
  await goTo('/alerts');
  await page.getByRole('button', { name: 'Add alert' }).first().click();
  await page.getByLabel('Channel').selectOption('slack');
  await page.getByText('Incoming Webhooks').waitFor();
  await page.getByLabel('Name').fill(slackName);
  await page.getByLabel('Webhook URL').fill('http://not-secure.example.com/x');
  await page.getByRole('dialog').getByRole('button', { name: 'Add alert' }).click();
  await page.getByRole('dialog').locator('.field__error').first().waitFor();
  await page.getByLabel('Webhook URL').fill(providers.url('slack'));
  await page.getByRole('checkbox', { name: /All kinds of incidents/ }).uncheck();
  await page.getByRole('checkbox', { name: /^Restore failed/ }).check();
  await inspect('alert-form');
  await page.getByRole('dialog').getByRole('button', { name: 'Add alert' }).click();
  await page.getByRole('heading', { name: slackName }).waitFor();
  const added = (await listed()).find(({ name }) => name === slackName);
  deepEqual(added?.kinds, ['backup_failed', 'restore_failed', 'protection_lapsed']);
  ok(!JSON.stringify(added).includes('secret-of-the-webhook'));

  await page.getByRole('button', { name: 'Send a test…' }).click();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Sent: Slack answered 200').waitFor();
  providers.limit('slack', { times: 1, seconds: 30 });
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
  await page.getByText('Not delivered: Slack answered 429').waitFor();
  await inspect('alert-test');
  await page.keyboard.press('Escape');
  equal(providers.received('slack').length, 2);
  await page.getByRole('row').filter({ hasText: 'Test' }).first().waitFor();
});

test('console: a failed backup is an incident that reaches the alert, and a good one ends it', async () => {
  const { page, goTo } = console_;
  const [project, destination] = await Promise.all([
    newProject(organization, { name: projectName }),
    newDestination(organization),
  ]);
  await seed(project.sourceProjectId, { 'users/ada': { name: { stringValue: 'Ada' } } });
  const request = { projectId: project.id, storageDestinationId: destination.id };
  await revokeSource(project.sourceProjectId);
  const failed = await endOf(organization, (await startBackup(organization, request)).id);
  equal(failed.status, 'failed');
  const opened = await providers.next('slack', ({ json }) => JSON.stringify(json).includes('Backup failed'));
  equal(opened.status, 200);
  await goTo('/alerts');
  await page.getByRole('link', { name: `Backup failed: ${projectName}` }).waitFor();
  await inspect('alerts');

  await revokeSource(project.sourceProjectId, null);
  equal((await call(projects.reconnect, { ...by, params: { projectId: project.id } })).status, 200);
  const good = await endOf(organization, (await startBackup(organization, request)).id);
  equal(good.status, 'completed');
  const recovered = await providers.next('slack', ({ json }) => JSON.stringify(json).includes('Recovered: Backup failed'));
  equal(recovered.status, 200);
  await goTo('/alerts');
  await page.getByRole('button', { name: 'Recovered', exact: true }).click();
  await page.getByRole('link', { name: `Backup failed: ${projectName}` }).waitFor();
  await page.getByRole('link', { name: slackName }).click();
  await page
    .getByRole('row')
    .filter({ hasText: `Backup failed: ${projectName}` })
    .filter({ hasText: 'Recovered' })
    .waitFor();
  await inspect('alert-messages');
});

test('console: the weekly digest is shown as it would be sent', async () => {
  const { page, goTo } = console_;
  await goTo('/alerts');
  await page.getByRole('button', { name: 'Preview the weekly digest…' }).click();
  await page.getByText(/^Weekly digest: /).waitFor();
  await page.getByText(/Estimated Firestore cost/).waitFor();
  await inspect('alert-digest');
});

test('console: an alert is changed without its address, disabled and deleted', async () => {
  const { page, goTo } = console_;
  const [slack] = (await listed()).filter(({ name }) => name === slackName);
  ok(slack);
  await goTo(`/alerts/${slack.id}`);
  await page.getByRole('button', { name: 'Edit…' }).click();
  await page.getByLabel('How severe').selectOption('critical');
  await page.getByRole('checkbox', { name: /All projects/ }).uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await untilToast(page, 'The alert was saved');
  const changed = (await listed()).find(({ id }) => id === slack.id);
  equal(changed?.severity, 'critical');
  equal(changed?.projectIds.length, 1);
  equal(changed?.url, slack.url);
  await page.getByRole('button', { name: 'Disable' }).click();
  await untilToast(page, 'The alert is no longer sent');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete alert' });
  equal(await remove.getAttribute('aria-disabled'), 'true');
  await page.getByRole('dialog').getByRole('textbox').fill(slackName);
  await remove.click();
  await page.getByRole('heading', { name: 'Alerts', exact: true }).first().waitFor();
  deepEqual(
    (await listed()).filter(({ id }) => id === slack.id),
    [],
  );
});

test('console: a viewer sees alerts and incidents and can change nothing, and every action says why', async () => {
  const own = await openConsole({ email: viewer.email });
  const { page, goTo } = own;
  const [standard] = await listed();
  ok(standard);
  for (const [path, action] of [
    ['/alerts', 'Add alert'],
    [`/alerts/${standard.id}`, 'Send a test…'],
    [`/alerts/${standard.id}`, 'Edit…'],
  ] as const) {
    await goTo(path);
    const button = page.getByRole('button', { name: action }).first();
    await button.waitFor();
    equal(await button.getAttribute('aria-disabled'), 'true', `${action} of ${path} is not disabled`);
    await button.hover();
    await page.getByRole('tooltip').getByText('Only admins and the owner can do this.').first().waitFor();
  }
  await own.check.accessibility();
  own.check.problems();
});
