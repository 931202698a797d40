/** Point-in-time recovery in the console: enabled, a moment picked on the timeline, and handed to the restore. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Firestore } from '@google-cloud/firestore';
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { newDestination, newProject } from '../../harness/stage/backup.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

/** The picked moment, as the address keeps it. */
const pickedAt = async (page: Page, isNew: (at: string) => boolean): Promise<string> => {
  for (;;) {
    const at = new URL(page.url()).searchParams.get('at');
    if (at !== null && isNew(at)) return at;
    await pause(50);
  }
};

const anomalyOf = (keptBackupId: string, before: string) => ({
  detectedAt: new Date().toISOString(),
  source: 'capture',
  findings: [
    {
      collection: 'users',
      kind: 'deleted',
      field: null,
      observed: { documents: 24, total: 100, share: 0.24 },
      expected: { min: 0, max: 0.12 },
      message: '24 % of users were deleted',
    },
  ],
  comparedWith: keptBackupId,
  keptBackupId,
  before,
  acknowledgedAt: null,
  acknowledgedBy: null,
  note: null,
});

test('console: a moment is picked on the timeline by keyboard, mouse and field, and restored from there', async () => {
  const organization = await newOrganization();
  const project = await newProject(organization, { name: 'Shop' });
  const destination = await newDestination(organization);
  const by = { token: organization.owner.accessToken, org: organization.id, params: { projectId: project.id } };
  const windows = async () => (await call(pitr.windows, by)).body.data.windows;
  const isComplete = async (at: string): Promise<boolean> =>
    (await windows()).some(({ from, to, complete }) => complete && from <= at && at <= to);
  const client = new Firestore({ projectId: project.sourceProjectId, host: stageVariable('STAGE_FIRESTORE'), ssl: false });
  await client.doc('users/ada').set({ name: 'Ada' });

  const { page, check } = await openConsole({
    email: organization.owner.email,
    path: `/projects/${project.id}/point-in-time`,
  });
  await page.getByRole('heading', { name: 'Go back to any second' }).waitFor();
  await check.accessibility();
  await check.screenshots('point-in-time-disabled');
  await page.getByRole('button', { name: 'Enable…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Enable point-in-time recovery' });
  await dialog.getByLabel('Store changes every (seconds)').fill('5');
  await dialog.getByRole('button', { name: 'Enable' }).click();
  await dialog.getByText('must be at least 10').first().waitFor();
  await check.accessibility();
  await check.screenshots('point-in-time-enable');
  await dialog.getByLabel('Store changes every (seconds)').fill('10');
  await dialog.getByRole('button', { name: 'Enable' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const state = (await call(pitr.get, by)).body.data;
  deepEqual(
    [state.enabled, state.captureIntervalSeconds, state.precision, state.storageDestinationId],
    [true, 10, 'second', destination.id],
  );

  // Without reloading, the page shows the timeline once the first window exists.
  const slider = page.getByRole('slider', { name: 'Moment to restore' });
  await slider.waitFor();
  await client.doc('users/grace').set({ name: 'Grace' });
  while (!(await windows()).some(({ from, to, complete }) => complete && Date.parse(to) - Date.parse(from) >= 60_000))
    await pause(1_000);
  await client.terminate();
  await page.reload();
  await slider.waitFor();

  // Keyboard: the first moment, then one second after the other.
  await slider.focus();
  await page.keyboard.press('Home');
  const first = await pickedAt(page, () => true);
  await page.keyboard.press('Shift+ArrowRight');
  const second = await pickedAt(page, (at) => at !== first);
  equal(Date.parse(second) - Date.parse(first), 1_000);
  await page.getByRole('button', { name: '+1 min' }).click();
  const third = await pickedAt(page, (at) => at !== second);
  equal(Date.parse(third) - Date.parse(second), 60_000);

  // The field takes a moment in the person's zone, down to the second.
  const wanted = (await windows()).find(({ complete }) => complete)!.from;
  const inBerlin = new Date(Date.parse(wanted) + 3_600_000).toISOString().slice(0, 19);
  const isSummer = new Date(wanted)
    .toLocaleString('en', { timeZone: 'Europe/Berlin', timeZoneName: 'shortOffset' })
    .endsWith('+2');
  const local = isSummer ? new Date(Date.parse(wanted) + 7_200_000).toISOString().slice(0, 19) : inBerlin;
  await page.getByLabel('Moment', { exact: true }).fill(local);
  equal(await pickedAt(page, (at) => at !== third), new Date(wanted).toISOString());
  await page.getByText('Everything is covered').waitFor();
  ok(await isComplete(wanted));
  // The legend explains what the timeline has.
  await page.getByText('Complete: every collection, every second').waitFor();
  equal(
    await page.getByRole('link', { name: 'See what was deleted lately' }).getAttribute('href'),
    `/console/find?projectId=${project.id}`,
  );
  await check.accessibility();
  await check.screenshots('point-in-time');

  // The wheel and the buttons zoom. Over little more than the shortest view the marks may stay: the button tells.
  const everything = page.getByRole('button', { name: 'Everything' });
  await slider.hover();
  await page.mouse.wheel(0, -600);
  await page.locator('button:not([aria-disabled])', { hasText: 'Everything' }).waitFor();
  await everything.press('Enter');
  equal(await everything.getAttribute('aria-disabled'), 'true');
  equal(await page.evaluate('document.activeElement.textContent'), 'Everything');
  await page.getByRole('button', { name: 'Zoom in' }).click();
  equal(await everything.getAttribute('aria-disabled'), null);
  await everything.click();

  // A click picks the moment under the pointer; the restore takes it over.
  await slider.click();
  const clicked = await pickedAt(page, (at) => at !== new Date(wanted).toISOString());
  ok(Date.parse(clicked) > Date.parse(wanted) && Date.parse(clicked) < Date.now());
  await page.getByRole('link', { name: 'Restore to this moment…' }).click();
  await page.waitForURL('**/restore/new?**');
  const { searchParams } = new URL(page.url());
  deepEqual([searchParams.get('projectId'), searchParams.get('at')], [project.id, clicked]);

  // What is unusual in the captured changes is shown until it is acknowledged at the base backup.
  await page.goBack();
  const { baseBackupId } = (await call(pitr.get, by)).body.data;
  const base = (await getItem({ pk: `ORG#${organization.id}`, sk: `BACKUP#${baseBackupId}` }))!;
  await putItem({ ...base, anomaly: anomalyOf(baseBackupId!, wanted), anomalyState: 'open' });
  const unusual = page.getByText('Unusual changes were captured');
  await unusual.waitFor();
  await page.getByText('24 % of users were deleted').waitFor();
  await check.accessibility();
  await check.screenshots('point-in-time-unusual');
  await page.getByRole('link', { name: 'Review and acknowledge' }).click();
  await page.getByRole('button', { name: 'Acknowledge…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
  await page.getByText('Acknowledged', { exact: true }).first().waitFor();
  equal((await call(pitr.get, by)).body.data.anomaly, null);
  await page.goBack();
  await page.getByRole('heading', { name: 'Capturing', exact: true }).waitFor();
  await unusual.waitFor({ state: 'detached' });

  // Disabling needs the name of the project.
  await page.getByRole('button', { name: 'Disable…' }).click();
  const confirm = page.getByRole('dialog', { name: 'Disable point-in-time recovery?' });
  await confirm.getByRole('textbox').fill('Shop');
  await confirm.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Changes are no longer captured', { exact: true }).first().waitFor();
  equal((await call(pitr.get, by)).body.data.enabled, false);
  check.problems();
});
