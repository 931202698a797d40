import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { newBucket, newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { addMember, newOrganization } from '../../harness/stage/organization.ts';
import { revokeGrants } from '../../harness/stage/person.ts';

test('console: a new person creates an organization, connects a project, adds storage and takes the first backup', async () => {
  const bucket = await newBucket();
  const source = `shop-${bucket.slice(-8)}`;
  await seed(source, { 'users/ada': { name: { stringValue: 'Ada' } }, 'users/grace': { name: { stringValue: 'Grace' } } });
  const { page, goTo, check } = await openConsole();
  /** A keyboard goes on from the heading of the next step. */
  const focused = (heading: string) => page.locator('h2:focus', { hasText: heading }).waitFor();
  await page.getByRole('heading', { name: 'Protect your first project' }).waitFor();
  await check.screenshots('first-run-organization');
  await check.accessibility();

  await page.getByLabel('Name').fill('Analytical Engines');
  await page.getByRole('button', { name: 'Create the organization' }).click();
  await focused('Connect a project');
  await page.getByLabel('Google Cloud project id').fill('denied-shop');
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByText('The project was not connected').waitFor();
  await page.getByRole('figure', { name: 'Command that grants access' }).waitFor();
  await check.screenshots('first-run-refused');
  await page.getByLabel('Google Cloud project id').fill(source);
  await page.getByRole('button', { name: 'Check again' }).click();
  await focused('Add storage');
  await page.getByLabel('Bucket', { exact: true }).fill(bucket);

  // The guide continues where it was left, with what was typed.
  await goTo('/start');
  await page.getByRole('listitem').filter({ hasText: source }).getByText('Done').waitFor();
  equal(await page.getByLabel('Bucket', { exact: true }).inputValue(), bucket);
  await page.getByLabel('Access key id').fill('denied');
  await page.getByLabel('Secret access key').fill('not-so-secret');
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByRole('alert').getByText('s3:PutObject').waitFor();
  await check.screenshots('first-run-storage-refused');
  await page.getByLabel('Access key id').fill('AKIATEST');
  await page.getByLabel('Secret access key').fill('not-so-secret');
  await check.screenshots('first-run-storage');
  await check.accessibility();
  await page.getByRole('button', { name: 'Test and save' }).click();
  await focused('Take the first backup');

  await page.getByRole('button', { name: 'Back up now' }).click();
  await page.getByText('Your project is backed up').waitFor();
  await page.getByText('2 documents').waitFor();
  await check.screenshots('first-run-done');
  await check.accessibility();
  await page.getByRole('link', { name: 'Look inside the backup' }).click();
  await page.getByText('users').first().waitFor();
  check.problems();
});

test('console: a person without an organization sees the account, and can sign out to use another', async () => {
  const { page, email, check } = await openConsole();
  await page.getByRole('heading', { name: 'Protect your first project' }).waitFor();
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menu').getByText(email).waitFor();
  await check.accessibility();
  await page.getByRole('menuitem', { name: 'Sign out…' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
});

test('console: the guide asks for a missing consent first, and goes on after it with what was typed', async () => {
  const { owner } = await newOrganization();
  const { page, goTo, check } = await openConsole({ email: owner.email });
  await revokeGrants(owner.email);
  await goTo('/start');
  const source = page.getByLabel('Google Cloud project id');
  await source.fill('consent-shop');
  await page.getByRole('button', { name: 'Connect' }).click();
  const consent = page.getByRole('button', { name: 'Allow access with Google' });
  await consent.waitFor();
  deepEqual(await page.locator('.button--primary').allInnerTexts(), ['Allow access with Google']);
  await check.screenshots('first-run-consent');
  await check.accessibility();
  // Without the consent nothing changes.
  await page.getByRole('button', { name: 'Check again' }).click();
  await consent.click();
  await page.getByLabel(/e-?mail/i).fill(owner.email);
  await page.getByLabel(/e-?mail/i).press('Enter');
  await page.getByRole('heading', { name: 'Protect your first project' }).waitFor();
  equal(await source.inputValue(), 'consent-shop');
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByLabel('Bucket', { exact: true }).waitFor();
  check.problems();
});

test('console: the guide says who can do a step, and which step broke later', async () => {
  const organization = await newOrganization();
  const member = await addMember(organization, 'member');
  const project = await newProject(organization, { name: 'Shop' });
  const own = await openConsole({ email: member.email, path: '/start' });
  await own.page.getByText('Only admins and the owner can do this.').waitFor();
  equal(await own.page.getByRole('button', { name: 'Test and save' }).count(), 0);
  await own.check.screenshots('first-run-member');
  own.check.problems();

  await newDestination(organization);
  const { page, goTo, check } = await openConsole({ email: organization.owner.email });
  await revokeGrants(organization.owner.email);
  const by = { token: organization.owner.accessToken, org: organization.id };
  equal((await call(projects.reconnect, { ...by, params: { projectId: project.id } })).status, 422);
  await goTo('/start');
  await page.getByText('Shop can no longer be read').waitFor();
  deepEqual(await page.locator('.button--primary').allInnerTexts(), ['Reconnect']);
  await check.screenshots('first-run-unreadable');
  await check.accessibility();
  await page.getByRole('link', { name: 'Reconnect' }).click();
  await page.getByRole('dialog', { name: 'Reconnect Shop' }).waitFor();
  check.problems();
});
