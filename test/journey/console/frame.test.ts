/** The frame around all pages: keyboard alone, small screens, addresses that do not exist, and an ended session. */
import { equal, ok } from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, test } from 'vitest';
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import { newId } from '../../../shared/platform/index.ts';
import { endSession } from '../../harness/browser/end-session.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { newProject } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

const longName = 'Analytics and reporting warehouse of the whole European region';

let organization: TestOrganization;
let email: string;
beforeAll(async () => {
  organization = await newOrganization(undefined, 'Northwind Traders International Cooperative Holding');
  email = organization.owner.email;
  await newProject(organization, { name: longName });
});
/** Waits until this element has the focus: a closed menu or dialog returns it a moment after it is gone. */
const waitForFocus = (page: Page, element: Locator): Promise<void> => element.and(page.locator(':focus')).waitFor();

test('console: a keyboard skips the menu, and menus and dialogs give the focus back', async () => {
  const { page, check } = await openConsole({ email, path: '/schedules', isAnimated: true });
  await page.getByRole('heading', { name: 'Schedules', exact: true }).waitFor();
  await page.locator('body').press('Tab');
  await waitForFocus(page, page.getByRole('link', { name: 'Skip to the content' }));
  await page.keyboard.press('Enter');
  await waitForFocus(page, page.locator('main'));
  await page.keyboard.press('Tab');
  await page.locator('main :focus').waitFor();

  const account = page.getByRole('button', { name: /^Account of/ }).first();
  const menu = page.getByRole('navigation', { name: 'Main' });
  const start = page.getByRole('button', { name: 'Back up now' });
  // Without animations, too, whose end a menu or a dialog would wait for.
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    await page.emulateMedia({ reducedMotion });
    await account.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor({ state: 'detached' });
    await waitForFocus(page, account);

    await menu.getByRole('link', { name: 'Projects', exact: true }).click();
    await page.getByRole('main').getByRole('link', { name: longName }).click();
    await start.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: `Back up ${longName}` }).waitFor();
    if (reducedMotion === 'no-preference') await check.accessibility();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await waitForFocus(page, start);
  }
  check.problems();
});

test('console: at 360 px no page scrolls sideways, and the menu gives the focus back', async () => {
  const { page, goTo, check } = await openConsole({ email, width: 360 });
  for (const path of ['', '/projects', '/backups', '/schedules', '/webhooks', '/audit', '/team', '/organization']) {
    await goTo(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    equal(await page.evaluate('document.documentElement.scrollWidth'), 360, `${path} is wider than the screen`);
  }
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('link', { name: 'Team', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Team', exact: true }).waitFor({ state: 'hidden' });
  await waitForFocus(page, page.getByRole('button', { name: 'Menu', exact: true }));
  check.problems();
});

test('console: a name without spaces widens neither a dialog on a small screen nor a table', async () => {
  const other = await newOrganization();
  const { id, name } = await newProject(other, { name: 'Wxyz'.repeat(25) });
  const by = { token: other.owner.accessToken, org: other.id };
  const plan = { name: 'Weekly', projectId: id, cron: '@weekly' };
  equal((await call(restoreTests.create, { ...by, body: plan as never })).status, 201);
  const { page, goTo } = await openConsole({ email: other.owner.email, width: 360, path: `/projects/${id}/settings` });
  await page.getByRole('button', { name: 'Disconnect…' }).click();
  const { x = 0, width = 0 } = (await page.getByRole('dialog', { name: new RegExp(name) }).boundingBox()) ?? {};
  ok(x >= 0 && x + width <= 360, `the dialog is from ${x} to ${x + width}`);
  await page.setViewportSize({ width: 1280, height: 800 });
  await goTo('/restore-tests');
  await page.getByRole('cell', { name: new RegExp(name) }).waitFor();
  equal(await page.evaluate('document.documentElement.scrollWidth'), 1280);
});

test('console: an unknown address or resource says so and leads on; the frame stays', async () => {
  const { page, goTo, check } = await openConsole({ email, path: '/nowhere' });
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await check.accessibility();
  await check.screenshots('not-found');
  check.problems();
  for (const [path, text] of [
    [`/projects/${newId('project')}`, 'There is no such project'],
    [`/schedules/${newId('schedule')}`, 'There is no such schedule'],
    [`/webhooks/${newId('webhook')}`, 'There is no such webhook'],
    [`/backups/${newId('backup')}`, 'There is no such backup'],
    [`/restores/${newId('restore')}`, 'There is no such restore'],
    [`/alerts/${newId('alert')}`, 'There is no such alert'],
  ] as const) {
    await goTo(path);
    await page.getByRole('heading', { name: text }).waitFor();
    await page.getByRole('link', { name: /^Show all/ }).waitFor();
  }
});

test('console: a session that ends while a page is open leads to the sign-in and back to the page', async () => {
  const { page } = await openConsole({ email, path: '/team' });
  await page.getByRole('table', { name: 'Members' }).waitFor();
  await endSession(page, () => page.getByRole('link', { name: 'Audit log', exact: true }).click());
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('E-mail address').press('Enter');
  await page.getByRole('heading', { name: 'Audit log', exact: true }).waitFor();
});
