/** Points in time in the restore wizard. */
import { deepEqual, equal } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { capturedShop, localOf, nextSecond, until } from '../../harness/browser/captured-shop.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { text, typeName } from '../../harness/browser/restore-pages.ts';
import { seed } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { addFault } from '../../harness/stage/firestore-faults.ts';
import { contentsOf, erase } from '../../harness/stage/restore.ts';

const utcOf = (iso: string): string => iso.slice(11, 19);

test('console: a point in time is restored, and the field shows it in the own zone and in UTC', async () => {
  const { organization, source, windowAt } = await capturedShop();
  const second = await nextSecond();
  await erase(source, ['users/ada']);
  await until(async () => (await windowAt(second))?.complete === true);
  const { page, check } = await openConsole({ email: organization.owner.email, path: '/restore/new' });
  await page.getByRole('button', { name: 'A point in time' }).click();
  await page.getByText(/^Restorable from/).waitFor();
  await page.getByText('Europe/Berlin, to the second').waitFor();
  await page.getByRole('button', { name: 'Latest' }).click();
  await page.getByText(/^Europe\/Berlin, to the second · /).waitFor();
  // Nothing was captured five minutes ago, so that button says why it does nothing.
  equal(await page.getByRole('button', { name: '5 minutes earlier', exact: true }).getAttribute('aria-disabled'), 'true');
  equal(await page.getByRole('button', { name: '15 minutes earlier' }).getAttribute('aria-disabled'), 'true');
  await page.getByLabel('Date and time').fill(localOf(second));
  await page.getByText(`${utcOf(second)} UTC`).waitFor();
  await check.screenshots('restore-wizard-moment');
  await check.accessibility();
  for (const name of ['Continue', 'Continue', 'Continue', 'Make the plan'])
    await page.getByRole('button', { name, exact: true }).click();
  await typeName(page, 'Shop');
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('The restore is complete').waitFor();
  deepEqual(Object.keys(await contentsOf(source)).sort(), ['shops/one', 'users/ada']);
  check.problems();
});

test('console: a point in time that cannot be restored is not continued with', async () => {
  const { organization, projectId } = await capturedShop();
  const { page, check, goTo } = await openConsole({ email: organization.owner.email, path: '/restore/new?source=moment' });
  await page.getByLabel('Date and time').fill('2020-01-01T00:00:00');
  await page.getByText('It lies in a gap, or outside of what was captured').waitFor();
  // A full minute, which browsers write without seconds, gives way to what is filled in next.
  await page.getByLabel('Date and time').fill('2020-01-01T00:00:01');
  await page.getByText('23:00:01 UTC').waitFor();
  await page.getByRole('button', { name: 'Continue' }).click({ force: true });
  await page.getByRole('tooltip', { name: 'This point in time cannot be restored' }).waitFor();
  equal(await page.getByRole('navigation', { name: 'Steps of the restore' }).getByRole('button').count(), 0);
  await page.getByRole('button', { name: 'Latest' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'What do you want to restore?' }).waitFor();
  check.problems();
  // A link may have such a moment: reloading does not help.
  await goTo(`/restore/new?projectId=${projectId}&at=2020-01-01T00:00:00.000Z&step=plan`);
  await page.getByText('Choose another point in time, or a backup.').waitFor();
  equal(await page.getByText(/Reload the page/).count(), 0);
});

test('console: what a page shows stays when it cannot be loaded again', async () => {
  const { organization } = await capturedShop();
  const { page } = await openConsole({ email: organization.owner.email, path: '/restore/new' });
  await page.getByRole('button', { name: 'A point in time' }).click();
  await page.getByRole('button', { name: 'Latest' }).click();
  await page.getByText(/^Europe\/Berlin, to the second · /).waitFor();
  let failures = 0;
  await page.route('**/pitr', (route) => {
    failures++;
    return route.fulfill({ status: 500, json: { success: false, error: { code: 'INTERNAL_ERROR', message: 'x', details: {} } } });
  });
  // A read is tried up to five times, so the page has shown how the first one ended.
  await until(async () => failures > 6 && page.getByLabel('Date and time').isVisible());
  equal(await page.getByText('Point-in-time recovery could not be loaded').count(), 0);
});

// Hundreds of new subcollections at once are not captured completely until a new base has them.
const manyIds = Array.from({ length: 250 }, (_, n) => `new${n}`);

test('console: a point in time that is not complete is restored only by an explicit choice', async () => {
  const { organization, projectId, source, windowAt } = await capturedShop();
  // The search for them fails, too: they stay unknown until the next count.
  const heal = await addFault({ project: source, method: 'RunQuery', status: 'PERMISSION_DENIED', times: 10_000 });
  await seed(source, Object.fromEntries(manyIds.map((id) => [`users/ada/${id}/x`, text('new')])));
  const second = await nextSecond();
  await pause(1_000);
  await erase(source, ['shops/one']);
  await until(async () => (await windowAt(second)) !== undefined);
  await heal();
  const by = { token: organization.owner.accessToken, org: organization.id };
  const restoresOf = async () => (await call(restores.list, by)).body.data;
  const body = { projectId, pointInTime: second, options: { dryRun: true } };
  const { error: refusal } = (await call(restores.create, { ...by, body })).body;
  equal(refusal.code, 'CONFLICT');

  const { page, check } = await openConsole({ email: organization.owner.email, path: '/restore/new?source=moment' });
  await page.getByLabel('Date and time').fill(localOf(second));
  await page.getByText('This point in time is not complete').waitFor();
  for (const name of ['Continue', 'Continue', 'Continue', 'Make the plan'])
    await page.getByRole('button', { name, exact: true }).click();
  const notice = page.getByText('This point in time is not complete');
  await notice.waitFor();
  await page.getByText(String(refusal.details.reason).slice(1, 20)).waitFor();
  await check.screenshots('restore-wizard-partial');
  await check.accessibility();
  const onward = page.getByRole('button', { name: 'Plan the partial restore' });
  equal(await onward.getAttribute('aria-disabled'), 'true');
  await onward.click({ force: true });
  await notice.waitFor();
  await page.getByRole('checkbox', { name: /Restore what is proven/ }).check();
  await onward.click();
  await page.getByText('Not everything is proven for this point in time').waitFor();
  deepEqual(await restoresOf(), []);
  await typeName(page, 'Shop');
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('The restore is complete').waitFor();
  const [restored] = await restoresOf();
  deepEqual([restored?.pointInTime, restored?.partial !== null], [second, true]);
  equal(Object.keys(await contentsOf(source)).includes('shops/one'), true);
  check.problems();
});
