/** The pages Storage, Webhooks, Audit log, Team and Organization in a real browser over the stage. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, test } from 'vitest';
import { apiKeys } from '../../../shared/contract/endpoints/api-keys.ts';
import { members } from '../../../shared/contract/endpoints/members.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { serviceAccount } from '../../../shared/contract/endpoints/service-account.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { untilToast } from '../../harness/browser/note-toasts.ts';
import { type OpenConsole, openConsole } from '../../harness/browser/open-console.ts';
import { runGcloudShell } from '../../harness/google/run-gcloud-shell.ts';
import { newBucket } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { addMember, newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { newEmail, type Person } from '../../harness/stage/person.ts';
import { type Receiver, startReceiver } from '../../harness/stage/receiver.ts';

/** Would run if any page inserted it as markup. The page checks report the failed request for the image. */
const script = '<img src=/x onerror="window.stolen=true">';

let organization: TestOrganization;
let by: { readonly token: string; readonly org: string };
let viewer: Person;
let receiver: Receiver;
let console_: OpenConsole;
beforeAll(async () => {
  organization = await newOrganization(undefined, `Acme ${script}`);
  by = { token: organization.owner.accessToken, org: organization.id };
  viewer = await addMember(organization, 'viewer');
  receiver = await startReceiver();
  console_ = await openConsole({ email: organization.owner.email });
});
afterAll(() => receiver.stop());

/** What every page must satisfy. */
const inspect = async (name: string): Promise<void> => {
  await console_.check.screenshots(name);
  await console_.check.accessibility();
  ok(!(await console_.page.evaluate(() => 'stolen' in globalThis)), 'a stored text ran as a script');
  console_.check.problems();
};

test('console: storage is tested before it is saved, and a failure names the step', async () => {
  const { page, goTo } = console_;
  const bucket = await newBucket(undefined, { hasObjectLock: true });
  await goTo('/storage');
  await page.getByRole('heading', { name: 'No storage yet' }).waitFor();
  await page.getByRole('button', { name: 'Add storage' }).first().click();
  await page.getByLabel('Name').fill(`Bucket ${script}`);
  await page.getByLabel('Access key id').fill('AKIATEST');
  await page.getByLabel('Secret access key').fill('not-so-secret');

  // A mistake is said once, at its field, which has the focus.
  await page.getByLabel('Bucket', { exact: true }).fill('Not a bucket');
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByText('Correct the marked field.').waitFor();
  equal(await page.getByText('must be a bucket name').count(), 1);
  await page.getByLabel('Bucket', { exact: true }).and(page.locator(':focus')).waitFor();
  await console_.check.screenshots('storage-invalid');

  await page.getByLabel('Bucket', { exact: true }).fill('does-not-exist-anywhere');
  await page.getByText('How to give access to the bucket').click();
  await page.getByRole('figure', { name: 'Permission policy' }).getByText('arn:aws:s3:::does-not-exist-anywhere"').waitFor();
  await page.getByRole('button', { name: 'Test and save' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('The test failed at the step “write”. Nothing was saved').waitFor();
  await alert.getByText('The bucket does not exist').waitFor();
  await alert.getByText('Create the bucket first').waitFor();
  deepEqual((await call(storageDestinations.list, by)).body.data, []);
  await console_.check.screenshots('storage-failed');
  // What is not secret survives a reload.
  await page.reload();
  await page.getByRole('button', { name: 'Add storage' }).first().click();
  equal(await page.getByLabel('Bucket', { exact: true }).inputValue(), 'does-not-exist-anywhere');
  equal(await page.getByLabel('Secret access key').inputValue(), '');
  await page.getByLabel('Access key id').fill('denied');
  await page.getByLabel('Secret access key').fill('not-so-secret');
  await page.getByLabel('Bucket', { exact: true }).fill(bucket);
  await page.getByRole('button', { name: 'Test and save' }).click();
  await alert.getByText('s3:PutObject').waitFor();
  await page.getByLabel('Access key id').fill('AKIATEST');
  await page.getByLabel('Bucket', { exact: true }).fill(bucket);
  await page.getByLabel('Object lock').selectOption('Compliance');
  await page.getByText('They are billed until then').waitFor();
  await page.getByLabel('Object lock').selectOption('Governance');
  await page.getByText('must have been created with Object Lock').waitFor();
  await page.getByLabel('Locked for days').fill('2');
  await console_.check.screenshots('storage-lock');
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByRole('heading', { name: `Bucket ${script}` }).waitFor();
  await page.getByText('Locked for 2 days (governance)').waitFor();
  const { data } = (await call(storageDestinations.list, by)).body;
  equal(data[0]?.bucket, bucket);
  deepEqual(data[0]?.objectLock, { mode: 'governance', days: 2 });
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/The bucket works/).waitFor();
  await inspect('storage');
});

test('console: a bucket of Google is added without a key, after the three commands that the form shows', async () => {
  const { page, goTo, check } = console_;
  const projectId = `pool-${randomUUID().slice(0, 8)}`;
  const number = await runGcloudShell(`gcloud projects describe ${projectId} --format='value(projectNumber)'`);
  await goTo('/storage');
  await page.getByRole('button', { name: 'Add storage' }).first().click();
  await page.getByLabel('Provider').selectOption('Google Cloud Storage');
  await page.getByRole('button', { name: 'Without a key' }).click();
  await page.getByText('Enter the bucket and the id of the Google Cloud project').waitFor();
  await page.getByLabel('Bucket', { exact: true }).fill('demo-backups');
  await page.getByLabel('Google Cloud project').fill(projectId);
  await page.getByLabel('Project number').fill(number);
  await page.getByLabel('Name').fill('Keyless');
  const commands = page.locator('figure.code code');
  await commands.filter({ hasText: `gs://demo-backups --role=roles/storage.objectUser --member="principal://` }).waitFor();
  await commands.filter({ hasText: `projects/${number}/` }).waitFor();
  await check.screenshots('storage-keyless');
  await check.accessibility();
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByRole('alert').getByText('at the step “get a token from Google”').waitFor();
  await page
    .getByRole('alert')
    .getByText(/knows no enabled workload identity pool provider/)
    .waitFor();
  for (const command of await commands.allTextContents()) if (command.startsWith('gcloud')) await runGcloudShell(command);
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByRole('heading', { name: 'Keyless' }).waitFor();
  await page.getByText('Without a key:').waitFor();
  const { data } = (await call(storageDestinations.list, by)).body;
  match(data[0]?.workloadIdentity?.audience ?? '', new RegExp(`/projects/${number}/`));
  await inspect('storage-keyless-saved');
});

test('console: a webhook is added, tested, seen in its deliveries, replayed, rotated and deleted', async () => {
  const { page, goTo } = console_;
  const name = `Hook ${script}`;
  await goTo('/webhooks');
  await page.getByRole('button', { name: 'Add webhook' }).first().click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Address', { exact: true }).fill(receiver.url('/hook'));
  await page.getByRole('checkbox', { name: 'member.*' }).check();
  await console_.check.screenshots('webhook-form');
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
  await page.getByText('Copy the secret now').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name }).click();

  receiver.answer('/hook', { status: 500 }, { status: 204 });
  await page.getByRole('button', { name: 'Send a test…' }).click();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Not delivered: the endpoint answered 500').waitFor();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Delivered: the endpoint answered 204').waitFor();
  const [first, second] = receiver.requests.filter(({ path }) => path === '/hook');
  ok(first && second, 'both tests were received');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click();

  // The answer is shown once, as a status.
  await page
    .getByRole('cell', { name: 'Answer 500', exact: true })
    .or(page.getByRole('cell', { name: '500', exact: true }))
    .waitFor();
  await page.getByRole('button', { name: 'backup.completed' }).first().click();
  await page.getByLabel('Request body').getByText('"backup.completed"').first().waitFor();
  await inspect('webhook-delivery');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Replay events…' }).click();
  await page.getByLabel('Which').selectOption('all');
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await untilToast(page, 'being sent again');

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Rotate secret…' }).click();
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByText('Copy the secret now').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await inspect('webhook');

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' });
  equal(await remove.getAttribute('aria-disabled'), 'true');
  await page.getByRole('dialog').getByRole('textbox').fill(name);
  await remove.click();
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  deepEqual((await call(webhooks.list, by)).body.data, []);
});

test('console: someone is invited, the invitation is withdrawn, and a member gets another role', async () => {
  const { page, goTo } = console_;
  const email = newEmail('guest');
  await goTo('/team');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('radio', { name: /^admin/ }).check();
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await page.getByText(`An e-mail is on its way to ${email}`).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('table', { name: 'Pending invitations' }).getByText(email).waitFor();
  await inspect('team');
  await page.getByRole('button', { name: 'Withdraw…' }).click();
  await page.getByRole('button', { name: 'Withdraw invitation' }).click();
  await page.getByText(/^None\. People whom you invite/).waitFor();

  await page.getByRole('button', { name: `Actions for ${viewer.email}` }).click();
  await page.getByRole('menuitem', { name: 'Change role…' }).click();
  await page.getByRole('radio', { name: /^member/ }).check();
  await page.getByRole('button', { name: 'Change role' }).click();
  await untilToast(page, 'The role was changed');
  const { data } = (await call(members.list, by)).body;
  equal(data.find(({ userId }) => userId === viewer.userId)?.role, 'member');
  await call(members.update, { ...by, params: { userId: viewer.userId }, body: { role: 'viewer' } });
});

test('console: settings are saved, and the key of the service account is created, rotated and deleted', async () => {
  const { page, goTo } = console_;
  await goTo('/organization');
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  await page.getByRole('button', { name: 'Save' }).click();
  await untilToast(page, 'The settings were saved');
  equal((await call(organizations.current, by)).body.data.settings.timezone, 'Europe/Berlin');

  await inspect('organization');

  await goTo('/api-keys');
  await page.getByRole('button', { name: 'Create service account…' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(`Pipeline ${script}`);
  await page.getByRole('checkbox', { name: 'backups:write' }).check();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Copy the key now').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText(`Pipeline ${script}`).waitFor();
  await page.getByRole('button', { name: 'Rotate key…' }).click();
  await page.getByRole('button', { name: 'Rotate key', exact: true }).click();
  await page.getByText('Copy the key now').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Two keys work at the moment').waitFor();
  await inspect('service-account');
  const account = (await call(serviceAccount.get, by)).body.data;
  ok(account.permissions.includes('backups:write'));
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(`Pipeline ${script}`);
  await page.getByRole('button', { name: 'Delete service account' }).click();
  await page.getByText('This organization has none, and needs none').waitFor();
});

test('console: an API key is created from a preset, shown once, limited, rotated and deleted', async () => {
  const { page, goTo } = console_;
  await goTo('/api-keys');
  await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
  await inspect('api-keys-none');
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: /Monitor, read only/ }).check();
  ok(await dialog.getByRole('radio', { name: /viewer/i }).isChecked());
  ok(!(await dialog.getByRole('checkbox', { name: 'backups:write' }).isChecked()));
  await dialog.getByRole('radio', { name: /Back up from a pipeline/ }).check();
  await dialog.getByLabel('Name').fill(`Deploy ${script}`);
  await dialog.getByLabel('Allowed addresses').fill('203.0.113.7\nnowhere');
  await dialog.getByText('nowhere is neither an IP address nor a range').waitFor();
  await dialog.getByLabel('Allowed addresses').fill('203.0.113.7');
  await inspect('api-key-form');
  await dialog.getByRole('button', { name: 'Create API key' }).click();
  await page.getByText('Copy the key now').waitFor();
  await page.getByText(/^fb_key_key_/).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('from 203.0.113.7/32').waitFor();
  const [made] = (await call(apiKeys.list, by)).body.data;
  deepEqual([made?.role, made?.permissions.includes('backups:write'), made?.projectIds], ['member', true, null]);

  const act = async (action: string) => {
    await page.getByRole('button', { name: `Actions for Deploy ${script}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('Edit…');
  await page.getByRole('dialog').getByLabel('Expires').selectOption('In 7 days');
  await page.getByRole('button', { name: 'Save' }).click();
  await untilToast(page, 'The API key was changed; its text stays the same');
  await act('Rotate…');
  await page.getByRole('button', { name: 'Rotate key', exact: true }).click();
  await page.getByText('Copy the key now').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText(/The old key until/).waitFor();
  await inspect('api-keys');
  await act('Delete…');
  await page.getByRole('button', { name: 'Delete API key' }).click();
  await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
  deepEqual((await call(apiKeys.list, by)).body.data, []);
});

test('console: the audit log shows who did what, and its filters are part of the address', async () => {
  const { page, goTo } = console_;
  await goTo('/audit');
  await page.getByRole('button', { name: 'Service account: deleted' }).first().click();
  await page.getByRole('dialog').getByText(organization.owner.email).waitFor();
  await inspect('audit-entry');
  await page.keyboard.press('Escape');
  await page.getByLabel('Resource').selectOption('webhook');
  // The entries of before are shown until the address has the filter.
  await page.getByRole('button', { name: 'Service account: deleted' }).first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Webhook: deleted' }).waitFor();
  equal(await page.getByRole('button', { name: 'Service account: deleted' }).count(), 0);
  match(page.url(), /resourceType=webhook/);
  await page.getByLabel('Action').selectOption({ label: 'Webhook: tested' });
  await page.getByRole('button', { name: 'Webhook: deleted' }).waitFor({ state: 'detached' });
  // The filters survive a reload.
  await page.reload();
  await page.getByRole('button', { name: 'Webhook: tested' }).first().waitFor();
  equal(await page.getByLabel('Action').inputValue(), 'webhook.tested');
  equal(await page.getByRole('button', { name: 'Webhook: deleted' }).count(), 0);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('button', { name: 'Export' })
      .click()
      .then(() => page.getByRole('menuitem', { name: 'As CSV' }).click()),
  ]);
  equal(download.suggestedFilename(), 'audit-log.csv');
  await inspect('audit');

  // Words and a person; then one entry, whose address leads to it although the filters do not.
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByLabel('Text').fill('key_rotated service');
  await page.getByRole('button', { name: 'Webhook: tested' }).first().waitFor({ state: 'detached' });
  await page.getByLabel('Person').selectOption({ label: organization.owner.email });
  await page.getByRole('button', { name: 'Service account: key rotated' }).first().click();
  await page.waitForURL(({ searchParams }) => ['search', 'actorId', 'entry'].every((name) => searchParams.has(name)));
  const entry = new URL(page.url()).searchParams.get('entry');
  await goTo(`/audit?action=webhook.tested&entry=${entry}`);
  const dialog = page.getByRole('dialog', { name: 'Service account: key rotated' });
  await dialog.getByRole('button', { name: 'History of this service account' }).click();
  await page.getByRole('button', { name: 'Service account: created' }).waitFor();
  equal(await page.getByRole('button', { name: 'Webhook: tested' }).count(), 0);
  match(page.url(), /resourceId=sa_/);
  await goTo(`/audit?entry=aud_${'0'.repeat(26)}`);
  await page.getByRole('dialog', { name: 'No such entry' }).waitFor();
  await page.keyboard.press('Escape');
});
