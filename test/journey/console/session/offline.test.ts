/** A page whose script cannot be loaded: without a connection, and after a new deployment. */
import { equal } from 'node:assert/strict';
import { beforeAll, test } from 'vitest';
import { openConsole } from '../../../harness/browser/open-console.ts';
import { newOrganization } from '../../../harness/stage/organization.ts';

let email: string;
beforeAll(async () => {
  email = (await newOrganization()).owner.email;
});
test('console: a page that is first visited offline shows an error in the frame, and loads once online', async () => {
  const { page } = await openConsole({ email, path: '/team' });
  await page.getByRole('table', { name: 'Members' }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Audit log', exact: true }).click();
  await page.getByText('This page could not be shown').waitFor();
  await page.getByText('The service cannot be reached').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('This page could not be shown').waitFor();
  // What was visited before still works.
  await page.getByRole('link', { name: 'Team', exact: true }).click();
  await page.getByRole('table', { name: 'Members' }).waitFor();
  await page.getByRole('link', { name: 'Audit log', exact: true }).click();
  await page.getByText('This page could not be shown').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Audit log', exact: true }).waitFor();
});

test('console: a service that cannot be reached shows the same error, and does not reload', async () => {
  const { page } = await openConsole({ email, path: '/team' });
  await page.getByRole('table', { name: 'Members' }).waitFor();
  await page.route('**/*', (route) => route.abort('connectionrefused'));
  await page.getByRole('link', { name: 'Audit log', exact: true }).click();
  await page.getByText('The service cannot be reached').waitFor();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
});

test('console: a script that a new deployment has replaced reloads the document once', async () => {
  const { page } = await openConsole({ email, path: '/team' });
  await page.getByRole('table', { name: 'Members' }).waitFor();
  let documents = 0;
  page.on('request', (request) => void (request.isNavigationRequest() && documents++));
  await page.route('**/console/assets/*.js', (route) =>
    documents === 0 ? route.fulfill({ status: 404, body: '' }) : route.continue(),
  );
  await page.getByRole('link', { name: 'Audit log', exact: true }).click();
  await page.getByRole('heading', { name: 'Audit log', exact: true }).waitFor();
  equal(documents, 1);

  await page.unroute('**/console/assets/*.js');
  await page.route('**/console/assets/page-*.js', (route) => route.fulfill({ status: 404, body: '' }));
  await page.getByRole('link', { name: 'Alerts', exact: true }).click();
  await page.getByText('This page could not be shown').waitFor();
  equal(documents, 2);
});
