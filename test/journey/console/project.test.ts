/** Projects in the console: connected, refused and reconnected, moved, and watched by a viewer. */
import { deepEqual, equal } from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { test } from 'vitest';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { untilToast } from '../../harness/browser/note-toasts.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { runGcloudShell } from '../../harness/google/run-gcloud-shell.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { revokeGrants } from '../../harness/stage/person.ts';

const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });
const source = (prefix = 'source') => `${prefix}-${randomUUID().slice(0, 8)}`;
const attack = '<img src=x onerror=alert(1)>';
const projectsOf = async (organization: TestOrganization) => (await call(projects.list, by(organization))).body.data;

/** Every view has exactly one. */
const primaryButtons = (view: Page | Locator): Promise<string[]> => view.locator('.button--primary').allInnerTexts();

const connect = async (page: Page, sourceProjectId: string): Promise<void> => {
  await page.getByLabel('Google Cloud project id').fill(sourceProjectId);
  await page.getByRole('button', { name: /^(Connect|Check again)$/ }).click();
};

test('console: a project is connected with the own account; a refusal says what to do', async () => {
  const organization = await newOrganization();
  const { page, check, goTo } = await openConsole({ email: organization.owner.email });
  await goTo('/projects');
  await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
  await check.accessibility();
  await check.screenshots('projects-empty');
  await page.getByRole('link', { name: 'Connect a project' }).first().click();
  await page.getByRole('heading', { name: 'Connect a project' }).waitFor();
  await check.accessibility();

  const denied = source('denied');
  await connect(page, denied);
  await page
    .getByRole('alert')
    .getByText(/^Request id/)
    .waitFor();
  const command = page.getByRole('figure', { name: 'Command that grants access' });
  equal(
    await command.locator('code').innerText(),
    `gcloud projects add-iam-policy-binding ${denied} --member=user:${organization.owner.email} --role=roles/datastore.viewer`,
  );
  // A consent would not help: the account lacks a role.
  equal(await page.getByRole('button', { name: 'Allow access with Google' }).count(), 0);
  deepEqual(await primaryButtons(page), ['Check again']);
  deepEqual(await projectsOf(organization), []);
  await check.screenshots('connect-refused');

  const sourceProjectId = source();
  await page.getByLabel(/^Name/).fill(attack);
  await connect(page, sourceProjectId);
  await page.getByRole('heading', { level: 1, name: attack }).waitFor();
  await page.locator('.page-header').getByText('Not protected', { exact: true }).waitFor();
  // The first steps are one click away.
  await page.getByRole('link', { name: /has no backup that could be restored/ }).waitFor();
  await page.getByRole('link', { name: /is not backed up automatically/ }).waitFor();
  deepEqual(await primaryButtons(page), ['Back up now']);
  await check.screenshots('project-new');
  await check.accessibility();
  const [made] = await projectsOf(organization);
  deepEqual([made?.name, made?.sourceProjectId, made?.connection.type], [attack, sourceProjectId, 'user']);
  await goTo('/projects');
  await page.getByRole('link', { name: attack }).waitFor();
  await page.getByText('Not protected', { exact: true }).waitFor();
  await check.accessibility();
  await check.screenshots('projects');
  check.problems();
});

test('console: a project is connected with a service account key, whose private key is never shown', async () => {
  const organization = await newOrganization();
  const { page, check } = await openConsole({ email: organization.owner.email, path: '/projects/new' });
  const privateKey = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  const clientEmail = `backups@${source()}.iam.gserviceaccount.com`;
  const projectId = source();
  await page.getByText('Service account key').click();
  await check.accessibility();
  await check.screenshots('connect-service-account');
  const text = page.getByLabel('Text of the key file');
  await text.fill('not a key');
  await page.getByText('This is not the JSON file of a key').waitFor();
  await text.fill(
    JSON.stringify({ type: 'service_account', client_email: clientEmail, private_key: privateKey, project_id: projectId }),
  );
  await page.getByText(clientEmail).waitFor();
  equal((await page.content()).includes('PRIVATE KEY'), false);
  // The project of the key is taken over.
  equal(await page.getByLabel('Google Cloud project id').inputValue(), projectId);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: projectId }).waitFor();
  const [made] = await projectsOf(organization);
  deepEqual(made?.connection, { type: 'service_account', email: clientEmail });
  check.problems();
});

test('console: a project is connected without a key, after the three commands that the form shows', async () => {
  const organization = await newOrganization();
  const { page, check } = await openConsole({ email: organization.owner.email, path: '/projects/new' });
  const projectId = source();
  const number = await runGcloudShell(`gcloud projects describe ${projectId} --format='value(projectNumber)'`);
  await page.getByText('Without a key (best for production)').click();
  await page.getByText('Enter the project id to see').waitFor();
  await page.getByLabel('Google Cloud project id').fill(projectId);
  await page.getByLabel('Project number').fill(number);
  const commands = page.locator('figure.code code');
  await commands.filter({ hasText: `projects/${number}/` }).waitFor();
  equal(await page.getByRole('button', { name: /^Copy: Command/ }).count(), 3);
  await check.accessibility();
  await check.screenshots('connect-keyless');

  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText(/knows no enabled workload identity pool provider/).waitFor();
  for (const command of await commands.allTextContents()) if (command.startsWith('gcloud')) await runGcloudShell(command);
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('heading', { level: 1, name: projectId }).waitFor();
  await page.getByText('your organization (workload identity)').first().waitFor();
  const [made] = await projectsOf(organization);
  equal(made?.connection.type, 'workload_identity');
  check.problems();
});

test('console: a backup that failed for a withdrawn consent leads to a new consent and a working project', async () => {
  const organization = await newOrganization();
  const { email } = organization.owner;
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  await revokeGrants(email);
  const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
  equal((await endOf(organization, id)).status, 'failed');

  const { page, check, goTo } = await openConsole({ email });
  await revokeGrants(email);
  await goTo(`/projects/${project.id}`);
  await page.getByText('The database can no longer be read').waitFor();
  await page.getByText('Not authorized', { exact: true }).waitFor();
  await page.getByRole('row').getByText('Failed', { exact: true }).waitFor();
  await check.accessibility();
  await check.screenshots('project-unauthorized');

  await page.getByRole('button', { name: 'Reconnect' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reconnect Project' });
  await dialog.getByRole('button', { name: 'Reconnect', exact: true }).click();
  await dialog.getByRole('alert').waitFor();
  deepEqual(await primaryButtons(dialog), ['Allow access with Google']);
  await dialog.getByRole('button', { name: 'Check again' }).waitFor();
  await check.accessibility();
  await check.screenshots('project-reconnect');
  await dialog.getByRole('button', { name: 'Allow access with Google' }).click();
  await page.getByLabel(/e-?mail/i).fill(email);
  await page.getByLabel(/e-?mail/i).press('Enter');

  // The dialog is open again after the consent.
  await dialog.getByRole('button', { name: 'Reconnect', exact: true }).click();
  await untilToast(page, 'The project is connected again');
  await page.getByText('Not authorized', { exact: true }).waitFor({ state: 'detached' });
  equal((await call(projects.get, { ...by(organization), params: { projectId: project.id } })).body.data.status, 'connected');
  equal(await page.getByText('The database can no longer be read').count(), 0);
  check.problems();
});

test('console: settings are saved, a project is disconnected only after its name is typed', async () => {
  const organization = await newOrganization();
  const project = await newProject(organization);
  await seed(project.sourceProjectId, { 'users/ada': { name: { stringValue: 'Ada' } } });
  const { page, check } = await openConsole({ email: organization.owner.email, path: `/projects/${project.id}/settings` });
  await page.getByLabel('Time limit of a backup (minutes)').fill('90');
  await page.getByRole('button', { name: 'Save' }).click();
  await untilToast(page, 'The settings are saved');
  const { data } = (await call(projects.get, { ...by(organization), params: { projectId: project.id } })).body;
  equal(data.settings.backupTimeoutMinutes, 90);
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('users (1)').waitFor();
  await check.accessibility();
  await check.screenshots('project-settings');

  await page.getByRole('button', { name: 'Disconnect…' }).click();
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Disconnect' });
  await dialog.getByRole('textbox').fill('Projec');
  equal(await confirm.getAttribute('aria-disabled'), 'true');
  await confirm.click({ force: true });
  equal((await projectsOf(organization)).length, 1);
  await dialog.getByRole('textbox').fill('Project');
  await confirm.click();
  await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
  deepEqual(await projectsOf(organization), []);
  check.problems();
});

test('console: a project moves to another organization, which is shown afterwards', async () => {
  const organization = await newOrganization();
  const other = await newOrganization(organization.owner);
  const project = await newProject(organization);
  const { page, check } = await openConsole({ email: organization.owner.email });
  // A page that learns who is signed in forgets the choices of the person before.
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  await page.evaluate((id) => sessionStorage.setItem('console.organization', id), organization.id);
  await page.goto(`${new URL(page.url()).origin}/console/projects/${project.id}/move`);
  await page.getByText('Stays behind').waitFor();
  await page.getByLabel('To', { exact: true }).selectOption(other.id);
  await check.accessibility();
  await check.screenshots('project-move');
  await page.getByRole('button', { name: 'Move…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('Project');
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();
  await untilToast(page, 'Project belongs to');
  await page.getByRole('heading', { level: 1, name: 'Project' }).waitFor();
  await page.locator('.page-header').getByText('Not protected', { exact: true }).waitFor();
  deepEqual(await projectsOf(organization), []);
  deepEqual(
    (await projectsOf(other)).map(({ id }) => id),
    [project.id],
  );
  check.problems();
});
