/** Sign-in, session and what the browser loads for the first page. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { endOf, newDestination, newProject, seed, startBackup, takeBackup } from '../../harness/stage/backup.ts';
import { call, stageUrl } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { type Person, signIn } from '../../harness/stage/person.ts';

/** An organization with one project that is backed up and one that is not. */
const organizationWithBackup = async (): Promise<TestOrganization> => {
  const organization = await newOrganization(undefined, 'Analytical Engines');
  const destination = await newDestination(organization, { name: 'Archive bucket' });
  const project = await newProject(organization, { name: 'Shop' });
  const documents = Array.from({ length: 40 }, (_, n) => [`orders/o${n}`, { total: { integerValue: String(n) } }] as const);
  await seed(project.sourceProjectId, Object.fromEntries(documents));
  const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
  equal((await endOf(organization, id)).status, 'completed');
  await newProject(organization, { name: 'Newsletter' });
  return organization;
};

test('console: a visitor signs in at the identity provider and sees what is protected', async () => {
  const { owner } = await organizationWithBackup();
  const { page, check } = await openConsole({ isSignedIn: false, path: '/backups' });
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  await check.screenshots('sign-in');
  await check.accessibility();
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByLabel('E-mail address').fill(owner.email);
  await page.getByLabel('E-mail address').press('Enter');
  // Back to the page that was wanted.
  await page.getByRole('heading', { name: 'Backups', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('heading', { name: 'Newsletter is not protected' }).waitFor();
  const shop = page.getByRole('row', { name: /Shop/ });
  await shop.getByText('At risk').waitFor();
  await page.getByRole('heading', { name: 'Stored data', exact: true }).waitFor();
  await check.screenshots('overview');
  await check.accessibility();
  // What needs attention leads to where it is solved.
  await page.getByRole('link', { name: /Newsletter has no backup.*Back up now/ }).click();
  await page
    .getByRole('dialog', { name: 'Back up now' })
    .getByLabel('Project')
    .getByText('Newsletter')
    .waitFor({ state: 'attached' });
  check.problems();
});

/** Notes when the first link of the table with the projects is in the document. */
const noteWhenShown = `new MutationObserver(() => {
  if (document.querySelector('.table td a')) window.shownAtMs ??= performance.now();
}).observe(document, { childList: true, subtree: true })`;

/** What was requested until then: the document, and each resource with its compressed bytes. */
const requestedUntilShown = `performance.getEntriesByType('resource')
  .filter(({ startTime }) => startTime < window.shownAtMs)
  .map(({ name, encodedBodySize, initiatorType }) => ({ path: new URL(name).pathname, bytes: encodedBodySize, initiatorType }))`;

test('console: the overview is shown in a browser that reports a language Intl refuses', async () => {
  const organization = await newOrganization();
  await takeBackup(organization);
  const { page, check } = await openConsole({ email: organization.owner.email });
  // As browsers do on systems without a language.
  await page.addInitScript(`Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })`);
  await page.reload();
  await page.getByRole('heading', { name: 'Stored data', exact: true }).waitFor();
  equal(await page.evaluate('navigator.language'), 'en-US@posix');
  await page.locator('.overview__charts canvas').first().waitFor();
  check.problems();
});

test('console: the overview needs at most four requests and 150 KB of compressed script', async () => {
  const { owner } = await organizationWithBackup();
  const { page, goTo, check } = await openConsole({ email: owner.email });
  await page.getByRole('link', { name: 'Shop', exact: true }).waitFor();
  await page.addInitScript(noteWhenShown);
  // Also without anything in the browser's memory.
  for (const isNew of [false, true]) {
    if (isNew) await page.evaluate('localStorage.clear()');
    await goTo('');
    await page.getByRole('link', { name: 'Shop', exact: true }).waitFor();
    const resources = (await page.evaluate(requestedUntilShown)) as { path: string; bytes: number; initiatorType: string }[];
    const paths = resources.map(({ path }) => path.replace(/-[\w-]{8}\.js$/, '.js'));
    // The number of incidents in the menu is asked for once the page has what it asked for first, which may be before that is painted.
    deepEqual(paths.filter((path) => path !== '/api/v1/alerts/incidents').sort(), [
      '/api/v1/auth/me',
      '/api/v1/overview',
      '/console/assets/index.js',
    ]);
    ok(paths.length <= 4, paths.join());
    const [script] = resources.filter(({ initiatorType }) => initiatorType === 'script');
    ok(script && script.bytes > 0 && script.bytes <= 150_000, `${script?.bytes} bytes`);
  }
  // A path with a trailing slash is redirected.
  await goTo('/');
  await page.getByRole('link', { name: 'Shop', exact: true }).waitFor();
  check.problems();
});

test('console: a session that ended leads to the sign-in, and a sign-out ends it', async () => {
  const organization = await newOrganization();
  const { page, goTo } = await openConsole({ email: organization.owner.email });
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out…' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await goTo('/projects');
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
});

test('console: a person sees their sign-ins, ends one, and signs out everywhere', async () => {
  const { owner } = await newOrganization();
  const [first, second] = [await signIn(owner.email), await signIn(owner.email)];
  const statusOf = async ({ accessToken }: Person) => (await call(auth.me, { token: accessToken })).status;
  const { page, check } = await openConsole({ email: owner.email });
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Your sign-ins' }).click();
  await page.getByRole('heading', { name: 'Your sign-ins', exact: true }).waitFor();
  await page.getByText('This browser').waitFor();
  const rows = page.getByRole('row').filter({ hasText: 'Application' });
  equal(await rows.count(), 3);
  await check.screenshots('sessions');
  await check.accessibility();
  // The newest one of an application is the second.
  await rows.first().getByRole('button', { name: 'End…' }).click();
  await page.getByRole('button', { name: 'End sign-in', exact: true }).click();
  await page.getByText('The sign-in has ended').waitFor();
  deepEqual([await statusOf(first), await statusOf(second)], [200, 401]);

  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out…' }).click();
  await page.getByRole('checkbox', { name: /Also end all my other sign-ins/ }).check();
  await check.screenshots('sign-out');
  await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  deepEqual([await statusOf(first), await statusOf(owner)], [401, 401]);
});

test('console: a person without an organization sees their sign-ins and ends them', async () => {
  const { email } = await signIn();
  const { page, check } = await openConsole({ email, path: '/start' });
  await page.getByRole('heading', { name: 'Protect your first project' }).waitFor();
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Your sign-ins' }).click();
  await page.getByRole('heading', { name: 'Your sign-ins', exact: true }).waitFor();
  await page.getByRole('button', { name: 'End all others…' }).click();
  await page.getByRole('button', { name: 'End all others', exact: true }).click();
  await page.getByText('One sign-in has ended').waitFor();
  await check.screenshots('sessions-without-organization');
  await check.accessibility();
  await page.getByRole('link', { name: 'Set up an organization' }).click();
  await page.getByRole('heading', { name: 'Protect your first project' }).waitFor();
  check.problems();
});

test('console: an expired access token is renewed without anyone noticing', async () => {
  const organization = await newOrganization();
  const { page, goTo } = await openConsole({ email: organization.owner.email });
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  await page.context().clearCookies({ name: '__Host-bms_access' });
  await goTo('/projects');
  await page.getByText('No projects yet').waitFor();
});

test('console: a declined consent is explained on the sign-in page', async () => {
  const { page, check } = await openConsole({ isSignedIn: false });
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('You did not allow access').waitFor();
  equal(new URL(page.url()).origin, stageUrl());
  check.problems();
});

test('console: the next person in the same browser sees nothing of the one before', async () => {
  const [alpha, beta] = [await newOrganization(undefined, 'Alpha works'), await newOrganization(undefined, 'Beta works')];
  await newProject(alpha, { name: 'Alpha shop' });
  await newProject(beta, { name: 'Beta shop' });
  const { page, goTo, check } = await openConsole({ email: alpha.owner.email });
  await page.getByRole('link', { name: 'Alpha shop', exact: true }).waitFor();
  await page.evaluate((id) => localStorage.setItem('console.organization', id), alpha.id);
  await goTo('/projects/new');
  await page.getByLabel('Google Cloud project id').fill('alpha-secret-project');
  await goTo('/projects');
  await page.getByRole('link', { name: 'Alpha shop' }).waitFor();

  // In another tab the person signs out. The first tab leaves its page.
  const other = await page.context().newPage();
  await other.goto(`${stageUrl()}/console`);
  await other.getByRole('button', { name: /^Account of/ }).click();
  await other.getByRole('menuitem', { name: 'Sign out…' }).click();
  await other.getByRole('button', { name: 'Sign out', exact: true }).click();
  await other.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  equal(await page.getByText('Alpha').count(), 0);
  deepEqual(await page.evaluate(keptKeys), []);

  // The next person signs in there. The first tab shows their data only, also for addresses of the first one.
  await other.goto(`${stageUrl()}/api/v1/auth/google?login_hint=${encodeURIComponent(beta.owner.email)}`);
  await other.getByRole('link', { name: 'Beta shop', exact: true }).waitFor();
  equal(await other.getByText('Alpha').count(), 0);
  await goTo('/projects');
  await page.getByRole('link', { name: 'Beta shop' }).waitFor();
  equal(await page.getByText('Alpha').count(), 0);
  await goTo('/projects/new');
  equal(await page.getByLabel('Google Cloud project id').inputValue(), '');

  // A sign-in as someone else without a sign-out before.
  await other.goto(`${stageUrl()}/api/v1/auth/google?login_hint=${encodeURIComponent(alpha.owner.email)}`);
  await other.getByRole('link', { name: 'Alpha shop', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Alpha shop', exact: true }).waitFor();
  equal(await page.getByText('Beta').count(), 0);
  // Nor does going back show the pages of the person before.
  await page.goBack();
  await page.getByRole('button', { name: /Alpha works/ }).waitFor();
  equal(await page.getByText('Beta').count(), 0);
  check.problems();
});

/** What the browser keeps of a person. */
const keptKeys = `[...Object.keys(localStorage), ...Object.keys(sessionStorage)]
  .filter((key) => /^console.(user|organization|draft)/.test(key))`;
