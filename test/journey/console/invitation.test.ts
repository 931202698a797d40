import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { invites } from '../../../shared/contract/endpoints/invitations.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { call, stageUrl } from '../../harness/stage/client.ts';
import { untilMails } from '../../harness/stage/mail.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { newEmail } from '../../harness/stage/person.ts';

/** The path of the link in the e-mail, below /console. */
const invited = async (email: string): Promise<string> => {
  const { id, owner } = await newOrganization(undefined, 'Analytical Engines');
  const answer = await call(invites.create, { token: owner.accessToken, org: id, body: { email, role: 'member' } });
  equal(answer.status, 201, answer.text);
  const [mail] = await untilMails(email);
  const [, link = ''] = new RegExp(`${stageUrl()}/console(/\\S+)`).exec(mail?.text ?? '') ?? [];
  return link;
};

test('console: the link of the e-mail shows who invites to what; the person signs in and joins', async () => {
  const email = newEmail('grace');
  const { page, check } = await openConsole({ isSignedIn: false, path: await invited(email) });
  await page.getByRole('heading', { name: 'Join Analytical Engines' }).waitFor();
  await page.getByText(email).first().waitFor();
  await check.screenshots('invitation');
  await check.accessibility();
  await page.getByRole('button', { name: 'Sign in to answer' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('E-mail address').press('Enter');
  await page.getByRole('button', { name: 'Accept and join' }).click();
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  await page.getByRole('button', { name: /Analytical Engines/ }).waitFor();
  check.problems();
});

test('console: another person is told that the invitation is not for them', async () => {
  const { page } = await openConsole({ path: await invited(newEmail()) });
  await page.getByText('You are signed in with another address').waitFor();
  equal(await page.getByRole('button', { name: 'Accept and join' }).count(), 0);
});

test('console: the invited person declines', async () => {
  const email = newEmail();
  const { page, check } = await openConsole({ email, path: await invited(email) });
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.getByText('This invitation was declined.').waitFor();
  check.problems();
});

test('console: a link that is not valid says so', async () => {
  const { page, check } = await openConsole({ isSignedIn: false, path: '/invitations/01JZ.01JZ.x' });
  await page.getByText('This invitation cannot be opened').waitFor();
  await check.accessibility();
});

test('console: who signs in without the link is offered the invitation, without and with an organization', async () => {
  const email = newEmail('grace');
  await invited(email);
  const { page, goTo, check } = await openConsole({ email });
  await page.getByRole('heading', { name: 'Protect your first project' }).waitFor();
  await page.getByText('You are invited to Analytical Engines').waitFor();
  await check.accessibility();
  await check.screenshots('invitation-offered');
  await page.getByRole('link', { name: 'See the invitation to Analytical Engines' }).click();
  await page.getByRole('button', { name: 'Accept and join' }).click();
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();

  await invited(email);
  await goTo('/team');
  const offer = page.getByRole('region', { name: 'Invitations' });
  await offer.getByText('You are invited to Analytical Engines').waitFor();
  await check.screenshots('invitation-offered-later');
  await offer.getByRole('button', { name: 'Not now' }).click();
  await offer.waitFor({ state: 'detached' });
  check.problems();
});
