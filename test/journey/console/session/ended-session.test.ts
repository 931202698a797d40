/** A session that ends while a form is filled in: the sign-in page says so, and the form has what was typed. */
import { deepEqual, equal } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { beforeAll, test } from 'vitest';
import { alerts } from '../../../../shared/contract/endpoints/alerts.ts';
import { schedules } from '../../../../shared/contract/endpoints/schedules.ts';
import { endSession } from '../../../harness/browser/end-session.ts';
import { openConsole } from '../../../harness/browser/open-console.ts';
import { newDestination, newProject } from '../../../harness/stage/backup.ts';
import { call } from '../../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../../harness/stage/organization.ts';

let email: string;
let organization: TestOrganization;
let projectId: string;
beforeAll(async () => {
  organization = await newOrganization();
  email = organization.owner.email;
  const { id: defaultStorageId } = await newDestination(organization);
  projectId = (await newProject(organization, { settings: { defaultStorageId } })).id;
});
/** Ends the session, sends the form, and signs in again. */
const sendAndSignIn = async (page: Page, button: string, person = email): Promise<void> => {
  await endSession(page, () => page.getByRole('button', { name: button, exact: true }).last().click());
  await page.getByText('Your session has ended').waitFor();
  await page.getByText('The last change was not saved').waitFor();
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByLabel('E-mail address').fill(person);
  await page.getByLabel('E-mail address').press('Enter');
};

/** The drafts that this tab keeps. */
const drafts = `Object.entries(sessionStorage).filter(([key]) => key.startsWith('console.draft.')).map(([, value]) => value)`;

test('console: a session that ends in a new schedule or restore test keeps what was typed', async () => {
  const { page, goTo } = await openConsole({ email });
  for (const [path, button] of [
    ['/schedules/new', 'Create the schedule'],
    ['/restore-tests/new', 'Create the restore test'],
  ] as const) {
    await goTo(path);
    await page.getByLabel('Name', { exact: true }).fill('Typed before the end');
    await sendAndSignIn(page, button);
    await page.getByRole('button', { name: button }).waitFor();
    equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed before the end');
    // Cancel forgets it.
    await page.getByRole('link', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: button }).waitFor({ state: 'detached' });
    deepEqual(await page.evaluate(drafts), []);
  }
});

test('console: a session that ends in a new webhook or alert keeps what was typed, but no secret', async () => {
  const { page, goTo } = await openConsole({ email });
  for (const [path, button, address] of [
    ['/webhooks', 'Add webhook', 'Address'],
    ['/alerts', 'Add alert', 'Webhook URL'],
  ] as const) {
    await goTo(path);
    const dialog = page.getByRole('dialog');
    const open = () => page.getByRole('main').getByRole('button', { name: button }).first().click();
    await open();
    await dialog.getByLabel('Name', { exact: true }).fill('Typed before the end');
    await dialog.getByRole('textbox', { name: address }).fill('https://hooks.slack.com/services/s3cret');
    await dialog.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    equal(JSON.stringify(await page.evaluate(drafts)).includes('s3cret'), false);
    await sendAndSignIn(page, button);
    await open();
    equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'Typed before the end');
    equal(await dialog.getByRole('textbox', { name: address }).inputValue(), '');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    deepEqual(await page.evaluate(drafts), []);
  }
});

const by = () => ({ token: organization.owner.accessToken, org: organization.id });

test('console: a session that ends in the form of a saved record keeps the changes, once', async () => {
  const body = { projectId, name: 'Nightly', cron: '0 3 * * 0' };
  const { id: scheduleId } = (await call(schedules.create, { ...by(), body })).body.data;
  const { page, goTo } = await openConsole({ email });
  const name = page.getByLabel('Name', { exact: true });
  for (const path of [`/schedules/${scheduleId}/edit`, `/projects/${projectId}/settings`, '/organization']) {
    await goTo(path);
    await name.waitFor();
    const saved = await name.inputValue();
    await name.fill('Typed before the end');
    await sendAndSignIn(page, 'Save');
    await name.waitFor();
    equal(await name.inputValue(), 'Typed before the end');
    deepEqual(await page.evaluate(drafts), []);
    // A form that is left shows the saved record.
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    await page.goBack();
    await name.waitFor();
    equal(await name.inputValue(), saved);
  }
});

test('console: a session that ends in the dialog of a saved alert keeps the changes, but no secret', async () => {
  const url = 'https://hooks.slack.com/services/T000/B000/stored';
  const body = { name: 'On-call', channel: 'slack', url, severity: 'warning' } as never;
  const { id } = (await call(alerts.create, { ...by(), body })).body.data;
  const { page } = await openConsole({ email, path: `/alerts/${id}` });
  const dialog = page.getByRole('dialog');
  const open = () => page.getByRole('button', { name: /^(Edit|Change)/ }).click();
  await open();
  await dialog.getByLabel('Name', { exact: true }).fill('Typed before the end');
  await dialog.getByRole('textbox', { name: 'Webhook URL' }).fill('https://hooks.slack.com/services/s3cret');
  await endSession(page, () => dialog.getByRole('button', { name: 'Save' }).click());
  await page.getByText('The last change was not saved').waitFor();
  const kept = await page.evaluate(drafts);
  deepEqual(kept, ['{"name":"Typed before the end"}']);
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('E-mail address').press('Enter');
  await open();
  equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'Typed before the end');
  equal(await dialog.getByRole('textbox', { name: 'Webhook URL' }).inputValue(), '');
});

test('console: a change under way is reported as not saved, also if a read finds the end of the session first', async () => {
  const { page } = await openConsole({ email, path: '/organization' });
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Typed before the end');
  let send = (): void => {};
  const isHeld = new Promise<void>((done) => {
    send = done;
  });
  await page.route(/\/api\/v1\/organizations/, async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    await isHeld;
    const error = { code: 'UNAUTHORIZED', message: 'Sign in', details: {}, requestId: 'r' };
    return route.fulfill({ status: 401, json: { success: false, error } });
  });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await endSession(page, () => page.getByRole('link', { name: 'Audit log', exact: true }).click());
  await page.getByText('Your session has ended').waitFor();
  equal(await page.getByText('The last change was not saved').count(), 0);
  send();
  await page.getByText('The last change was not saved').waitFor();
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('E-mail address').press('Enter');
  await page.getByRole('heading', { name: 'Audit log', exact: true }).waitFor();
});

test('console: a session that ends before the first organization keeps its name', async () => {
  const { page, email: person } = await openConsole();
  const create = page.getByRole('button', { name: 'Create the organization' });
  await create.waitFor();
  await page.getByLabel('Name').fill('Typed works');
  await sendAndSignIn(page, 'Create the organization', person);
  await create.waitFor();
  equal(await page.getByLabel('Name').inputValue(), 'Typed works');
  await create.click();
  await page.getByText('Connect a project').waitFor();
  await create.waitFor({ state: 'detached' });
  deepEqual(await page.evaluate(drafts), []);
});

test('console: a page that finds the session ended says so; a first visit and a sign-out do not', async () => {
  const { page, goTo, check } = await openConsole({ email, path: '/team' });
  await page.getByRole('table', { name: 'Members' }).waitFor();
  await endSession(page, () => page.getByRole('link', { name: 'Audit log', exact: true }).click());
  await page.getByText('Your session has ended').waitFor();
  equal(await page.getByText('The last change was not saved').count(), 0);
  await check.accessibility();
  await goTo('/team');
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  equal(await page.getByText('Your session has ended').count(), 0);

  const other = (await openConsole({ email })).page;
  await other.getByRole('button', { name: /^Account of/ }).click();
  await other.getByRole('menuitem', { name: 'Sign out…' }).click();
  await other.getByRole('button', { name: 'Sign out', exact: true }).click();
  await other.getByRole('heading', { name: 'You are signed out' }).waitFor();
  equal(await other.getByText('Your session has ended').count(), 0);
});
