/** The API docs in a real browser over the stage: search, deep links, trying calls out, and reading without a session. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { beforeAll, test } from 'vitest';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import { type OpenConsole, openConsole } from '../../harness/browser/open-console.ts';
import { call, stageUrl } from '../../harness/stage/client.ts';
import { addMember, newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

/** Would run if any page inserted it as markup. */
const script = '<img src=/x onerror="window.stolen=true">';

let organization: TestOrganization;
let owner: OpenConsole;
beforeAll(async () => {
  organization = await newOrganization(undefined, `Acme ${script}`);
  owner = await openSignedIn(organization.owner.email);
});
/** Waits for the console: the docs ask for the session of a person whom the browser knows. */
const openSignedIn = async (email: string): Promise<OpenConsole> => {
  const opened = await openConsole({ email });
  await opened.page.getByRole('heading', { level: 1 }).waitFor();
  return opened;
};
const openDocs = async (page: Page, path = ''): Promise<void> => {
  await page.goto(`${stageUrl()}/docs${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
};

/** What the tests read of an element; the types of the browser are not those of the tests. */
interface Linked {
  readonly id: string;
  getAttribute(name: string): string | null;
}

/** The section of one endpoint. */
const sectionOf = (page: Page, id: string) => page.locator(`[id="${id}"]`);

/** What every page must satisfy. */
const inspect = async ({ page, check }: OpenConsole, name: string): Promise<void> => {
  await check.screenshots(name);
  await check.accessibility();
  await page.setViewportSize({ width: 360, height: 740 });
  equal(await page.evaluate('document.documentElement.scrollWidth'), 360, `${name} is wider than a small screen`);
  await page.setViewportSize({ width: 1280, height: 860 });
  ok(!(await page.evaluate(() => 'stolen' in globalThis)), 'a text ran as a script');
  check.problems();
};

test('docs: the search is opened, used and left with the keyboard alone', async () => {
  const { page } = owner;
  await openDocs(page);
  await inspect(owner, 'docs-home');
  await page.keyboard.press('/');
  const search = page.getByRole('combobox', { name: 'Search endpoints, fields, errors, events and guides' });
  await search.waitFor();
  await page.keyboard.type('post /webhooks');
  await page.getByRole('option', { name: /Create a webhook/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await owner.check.accessibility();
  await owner.check.screenshots('docs-search');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/webhooks#webhooks.create');
  await page.locator('[id="webhooks.create"]:focus').waitFor();
  await page.keyboard.press('/');
  await search.waitFor();
  await page.keyboard.type(script);
  await page.getByText(`Nothing found for “${script}”.`).waitFor();
  await page.keyboard.press('Escape');
  await search.waitFor({ state: 'detached' });
  owner.check.problems();
});

test('docs: a deep link opens its endpoint, and so does the anchor of the former page', async () => {
  const { page } = owner;
  await openDocs(page, '/restores#restores.undo');
  await sectionOf(page, 'restores.undo').getByRole('heading', { name: 'Undo a restore', exact: true }).waitFor();
  // The page scrolls to the endpoint, at the latest after the fonts and the sections above it.
  await page.evaluate(
    'new Promise((done) => { const look = () => (scrollY > 500 ? done(true) : requestAnimationFrame(look)); look(); })',
  );
  await page.goto('about:blank');
  await openDocs(page, '#backups.create');
  await page.waitForURL('**/docs/backups#backups.create');
  await page.goto('about:blank');
  await openDocs(page, '#event.backup.failed');
  await page.waitForURL('**/docs/events#event.backup.failed');
  await page.goto(`${stageUrl()}/console/docs/errors`);
  await page.waitForURL('**/docs/errors');
  await page.getByRole('link', { name: 'RATE_LIMITED' }).waitFor();
});

test('docs: every endpoint has a section in its area', async () => {
  const { page } = owner;
  await openDocs(page);
  const areas = await page
    .getByRole('navigation', { name: 'API docs' })
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => (link as unknown as Linked).getAttribute('href') ?? ''));
  const shown = new Set<string>();
  for (const href of areas.slice(areas.indexOf('/docs/verify-signatures') + 1)) {
    await openDocs(page, href.replace('/docs', ''));
    for (const id of await page
      .locator('.docs-endpoint')
      .evaluateAll((sections) => sections.map((section) => (section as unknown as Linked).id)))
      shown.add(id);
  }
  deepEqual([...shown].sort(), endpoints.map(({ id }) => id).sort());
  owner.check.problems();
});

test('docs: a GET is tried with the own session and shows status, headers and the answer', async () => {
  const { page } = owner;
  await openDocs(page, '/organizations#organizations.current');
  const section = sectionOf(page, 'organizations.current');
  await section.getByRole('button', { name: /^Try it/ }).click();
  await section.getByRole('button', { name: 'Send' }).click();
  await section.getByRole('heading', { name: /Answer 200/ }).waitFor();
  const answer = section.getByRole('status');
  await answer.getByText('X-Request-Id').waitFor();
  await answer.getByText('RateLimit-Remaining').waitFor();
  const body = JSON.parse((await answer.locator('pre').textContent()) ?? '') as { data: { id: string; name: string } };
  deepEqual([body.data.id, body.data.name], [organization.id, `Acme ${script}`]);
  await inspect(owner, 'docs-answer');
});

test('docs: a POST with the example body asks first, and creates what the API then lists', async () => {
  const { page } = owner;
  const by = { token: organization.owner.accessToken, org: organization.id };
  await openDocs(page, '/webhooks#webhooks.create');
  const section = sectionOf(page, 'webhooks.create');
  await section.getByRole('button', { name: /^Try it/ }).click();
  const body = section.getByLabel('Body');
  const example = await body.inputValue();
  await body.fill('{"name": ');
  await section.getByRole('button', { name: 'Send…' }).click();
  await section.getByText(/is not valid JSON/).waitFor();
  await body.fill(example);
  await section.getByRole('button', { name: 'Send…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('POST /api/v1/webhooks').waitFor();
  deepEqual((await call(webhooks.list, by)).body.data, [], 'nothing is sent before it is confirmed');
  await owner.check.accessibility();
  await dialog.getByRole('button', { name: 'Send' }).click();
  await section.getByRole('heading', { name: /Answer 201/ }).waitFor();
  const [made] = (await call(webhooks.list, by)).body.data;
  deepEqual([made?.name, made?.events], [JSON.parse(example).name, JSON.parse(example).events]);
  await inspect(owner, 'docs-created');

  // The id of the new webhook is offered for the call that deletes it.
  await openDocs(page, '/webhooks#webhooks.remove');
  const remove = sectionOf(page, 'webhooks.remove');
  await remove.getByRole('button', { name: /^Try it/ }).click();
  await remove.locator(`datalist option[value="${made?.id}"]`).waitFor({ state: 'attached' });
  await remove.getByRole('button', { name: 'Send…' }).click();
  await remove.getByText('is required', { exact: true }).waitFor();
  await remove.getByLabel('webhookId').fill(made?.id ?? '');
  await remove.getByRole('button', { name: 'Send…' }).click();
  const send = dialog.getByRole('button', { name: 'Send' });
  equal(await send.getAttribute('aria-disabled'), 'true', 'a destructive call needs the name of the organization typed');
  await dialog.getByRole('textbox').fill(`Acme ${script}`);
  await send.click();
  await remove.getByRole('heading', { name: /Answer 200/ }).waitFor();
  deepEqual((await call(webhooks.list, by)).body.data, []);
  owner.check.problems();
});

test('docs: a viewer tries what they may read, and sees why they may not send a change', async () => {
  const viewer = await openSignedIn((await addMember(organization, 'viewer')).email);
  const { page } = viewer;
  await openDocs(page, '/webhooks#webhooks.create');
  const section = sectionOf(page, 'webhooks.create');
  await section.getByRole('button', { name: /^Try it/ }).click();
  const send = section.getByRole('button', { name: 'Send…' });
  await section.getByText('Only admins and the owner can do this.').last().waitFor();
  equal(await send.getAttribute('aria-disabled'), 'true');
  await send.click({ force: true });
  equal(await page.getByRole('dialog').count(), 0);
  const list = sectionOf(page, 'webhooks.list');
  await list.getByRole('button', { name: /^Try it/ }).click();
  await list.getByRole('button', { name: 'Send' }).click();
  await list.getByRole('heading', { name: /Answer 200/ }).waitFor();
  await inspect(viewer, 'docs-viewer');
});

test('docs: without a session everything can be read, and the sign-in comes back to the same endpoint', async () => {
  const reader = await openConsole({ isSignedIn: false, path: '/docs' });
  const { page } = reader;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await openDocs(page, '/projects#projects.list');
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).waitFor();
  const section = sectionOf(page, 'projects.list');
  await section.getByRole('button', { name: /^Try it/ }).click();
  await section.getByText('Sign in to try it').waitFor();
  equal(await section.getByRole('button', { name: 'Send' }).getAttribute('aria-disabled'), 'true');
  await inspect(reader, 'docs-signed-out');
  for (const guide of ['getting-started', 'signing-in', 'requests', 'errors', 'idempotency', 'paging', 'rate-limits']) {
    await openDocs(page, `/${guide}`);
    await inspect(reader, `docs-${guide}`);
  }
  await openDocs(page, '/events');
  await page.getByRole('figure', { name: 'Sample of backup.completed' }).getByText('"backup.completed"').first().waitFor();
  await reader.check.accessibility();
  // The browser knows of no person: the service is not asked for one.
  deepEqual(
    asked.filter((path) => path.includes('/auth/')),
    [],
  );
  await openDocs(page, '/verify-signatures');
  await page.getByRole('tab', { name: 'Go' }).click();
  await page.getByText('func VerifyStandard').waitFor();
  await inspect(reader, 'docs-verify');

  await openDocs(page, '/projects#projects.list');
  await section.getByRole('button', { name: /^Try it/ }).click();
  await section.getByRole('button', { name: 'Sign in and come back' }).click();
  await page.getByLabel('E-mail address').fill(organization.owner.email);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/projects#projects.list');
  await page.getByRole('banner').getByRole('link', { name: 'Console' }).waitFor();
});

test('docs: a public endpoint is tried without a session', async () => {
  const { page, check } = await openConsole({ isSignedIn: false });
  await openDocs(page, '/system#system.health');
  const section = sectionOf(page, 'system.health');
  await section.getByRole('button', { name: /^Try it/ }).click();
  await section.getByLabel('checks').selectOption('true');
  await section.getByRole('button', { name: 'Send' }).click();
  await section.getByRole('heading', { name: /Answer 200/ }).waitFor();
  match((await section.getByRole('status').locator('pre').textContent()) ?? '', /"database": "ok"/);
  check.problems();
});

test('docs: hostile addresses show a page without running anything', async () => {
  const { page, check } = owner;
  for (const path of [`/${encodeURIComponent(script)}`, '/constructor', '/__proto__'])
    for (const hash of ['', `#${script}`, '#%E0%A4%A']) {
      await page.goto(`${stageUrl()}/docs${path}${hash}`);
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    }
  await openDocs(page, `#${script}`);
  ok(!(await page.evaluate(() => 'stolen' in globalThis)), 'the address ran as a script');
  check.problems();
});

test('docs: on a small screen the menu leads to an area, and the console leads to the docs', async () => {
  const { page, check } = owner;
  await page.setViewportSize({ width: 360, height: 740 });
  await openDocs(page);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('navigation', { name: 'API docs' }).getByRole('link', { name: 'Schedules' }).click();
  await page.getByRole('heading', { name: 'Schedules', exact: true, level: 1 }).waitFor();
  await page.setViewportSize({ width: 1280, height: 860 });
  await owner.goTo('');
  await page.getByRole('link', { name: 'API docs' }).click();
  await page.waitForURL('**/docs');
  await page.getByRole('banner').getByRole('link', { name: 'Console' }).click();
  await page.waitForURL('**/console');
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  check.problems();
});
