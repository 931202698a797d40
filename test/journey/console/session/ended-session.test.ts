/** A session that ends while a form is filled in: the sign-in page says so, and the form has what was typed. */
import { deepEqual, equal } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { closeBrowser, openConsole } from '../../../harness/browser/open-console.ts';
import { newProject } from '../../../harness/stage/backup.ts';
import { newOrganization } from '../../../harness/stage/organization.ts';

let email: string;
beforeAll(async () => {
  const organization = await newOrganization();
  email = organization.owner.email;
  await newProject(organization);
});
afterAll(closeBrowser);

/** Ends the session, sends the form, and signs in again. */
const sendAndSignIn = async (page: Page, button: string, person = email): Promise<void> => {
  await page.context().clearCookies();
  await page.getByRole('button', { name: button, exact: true }).last().click();
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
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'Audit log', exact: true }).click();
  await page.getByText('Your session has ended').waitFor();
  equal(await page.getByText('The last change was not saved').count(), 0);
  await check.accessibility();
  await goTo('/team');
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  equal(await page.getByText('Your session has ended').count(), 0);

  const other = (await openConsole({ email })).page;
  await other.getByRole('button', { name: /^Account of/ }).click();
  await other.getByRole('menuitem', { name: 'Sign out' }).click();
  await other.getByRole('heading', { name: 'You are signed out' }).waitFor();
  equal(await other.getByText('Your session has ended').count(), 0);
});
