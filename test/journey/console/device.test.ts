import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { device } from '../../../shared/contract/endpoints/device.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { call } from '../../harness/stage/client.ts';
import { newEmail } from '../../harness/stage/person.ts';

const start = async (clientName: string) => (await call(device.start, { body: { clientName } })).body.data;
const poll = async (deviceCode: string) => {
  const { status, body } = await call(device.token, { body: { deviceCode } });
  return { status, code: body.error?.code };
};

test('console: a signed-out person opens the link of a device, signs in, compares the code and approves it', async () => {
  const email = newEmail('ada');
  const { deviceCode, userCode } = await start('bms on analytical-engine');
  const { page, check } = await openConsole({ isSignedIn: false, path: `/device?userCode=${userCode}` });
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('E-mail address').press('Enter');
  await page.getByRole('heading', { name: 'Sign in a device' }).waitFor();
  await page.getByText(userCode, { exact: true }).waitFor();
  await page.getByText('bms on analytical-engine').waitFor();
  await page.getByText('Approve only what you started yourself').waitFor();
  await page.getByText(`Signed in as ${email}`).waitFor();
  await check.accessibility();
  await check.screenshots('device');
  await page.setViewportSize({ width: 360, height: 780 });
  equal(Number(await page.evaluate('document.documentElement.scrollWidth')), 360);
  await page.getByRole('button', { name: 'Approve sign-in' }).press('Enter');
  await page.getByText('The device is signed in').waitFor();
  await check.accessibility();
  deepEqual(await poll(deviceCode), { status: 200, code: undefined });
  check.problems();
});

test('console: a person types the code in any spelling, and denies it', async () => {
  const { deviceCode, userCode } = await start('bms on build-7');
  const { page, check } = await openConsole({ path: '/device' });
  await page.getByLabel('Code').fill('abc');
  await page.getByLabel('Code').press('Enter');
  await page.getByText('Enter the eight letters of the code.').waitFor();
  await check.accessibility();
  await page.getByLabel('Code').fill(userCode.replace('-', ' ').toLowerCase());
  await page.getByLabel('Code').press('Enter');
  await page.getByText('bms on build-7').waitFor();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('The sign-in was denied').waitFor();
  deepEqual(await poll(deviceCode), { status: 403, code: 'ACCESS_DENIED' });
  check.problems();
});

test('console: an unknown code says so, and another one can be tried', async () => {
  const { userCode } = await start('bms on build-8');
  const { page, check } = await openConsole({ path: '/device?userCode=BBBB-BBBB' });
  await page.getByText('No device waits for this code').waitFor();
  await check.accessibility();
  await page.getByLabel('Code').fill(userCode);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('bms on build-8').waitFor();
});
