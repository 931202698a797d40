/** An incident in a real browser over the stage: a webhook that fails three times is one, and members take care of it. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, test } from 'vitest';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { overview } from '../../../shared/contract/endpoints/overview.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { untilToast } from '../../harness/browser/note-toasts.ts';
import { type OpenConsole, openConsole } from '../../harness/browser/open-console.ts';
import { call } from '../../harness/stage/client.ts';
import { addMember, newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import type { Person } from '../../harness/stage/person.ts';
import { type Receiver, startReceiver } from '../../harness/stage/receiver.ts';
import { lookUntil } from '../../harness/time/look-until.ts';

let organization: TestOrganization;
let by: { readonly token: string; readonly org: string };
let member: Person;
let viewer: Person;
let receiver: Receiver;
let console_: OpenConsole;
beforeAll(async () => {
  organization = await newOrganization(undefined, 'Acme');
  by = { token: organization.owner.accessToken, org: organization.id };
  [member, viewer] = [await addMember(organization, 'member'), await addMember(organization, 'viewer')];
  receiver = await startReceiver();
  console_ = await openConsole({ email: organization.owner.email });
});
afterAll(() => receiver.stop());

let changes = 0;
/** Each change is an event. */
const emit = async (): Promise<void> => {
  const answer = await call(organizations.update, { ...by, body: { name: `Acme ${++changes}` } });
  equal(answer.status, 200, answer.text);
};
const open = async () => (await call(alerts.incidents, { ...by, query: { status: 'open' } })).body.data;
const inspect = async (name: string): Promise<void> => {
  await console_.check.screenshots(name);
  await console_.check.accessibility();
  console_.check.problems();
};

test('console: a webhook that fails three times is an incident, which is acknowledged, assigned, muted and recovers', async () => {
  const { page, goTo } = console_;
  await goTo('/alerts');
  await page.getByText('Everything that was tried last has worked.').waitFor();
  await inspect('incidents-none');

  const body = { name: 'Ops', url: receiver.url('/ops'), events: ['organization.updated'], retryEnabled: false };
  const { id: webhookId } = (await call(webhooks.create, { ...by, body })).body.data;
  receiver.answer('/ops', { status: 500 });
  await emit();
  await receiver.next(({ path }) => path === '/ops');
  await lookUntil(
    async () => (await call(overview.get, by)).body.data.attention,
    (found) => found.some(({ kind, incidentId }) => kind === 'WEBHOOK_FAILING' && incidentId === null),
  );
  deepEqual(await open(), [], 'one failure is no incident');
  await goTo('/alerts');
  await page.getByText('No failure is reported now, but 1 thing below needs attention.').waitFor();
  await page.getByText('The last attempt to deliver to webhook Ops failed').waitFor();
  // Failures within a second may count as one.
  for (let n = 0; n < 2; n++) {
    await pause(1_100);
    await emit();
    await receiver.next(({ path }) => path === '/ops');
  }
  const [incident] = await lookUntil(open, (found) => found.length > 0);
  ok(incident);
  deepEqual([incident.kind, incident.page], ['webhook_failing', `/webhooks/${webhookId}`]);
  const { attention } = (await call(overview.get, by)).body.data;
  deepEqual(
    attention.map(({ kind, incidentId }) => [kind, incidentId]),
    [['WEBHOOK_FAILING', incident.id]],
  );

  await goTo('/alerts');
  await page.getByRole('link', { name: /open incidents: 1/ }).waitFor();
  await page.getByRole('link', { name: 'Show webhook' }).waitFor();
  await page.getByRole('cell', { name: 'once', exact: true }).waitFor();
  await inspect('incidents-one');
  // From the list, too.
  await page.getByRole('button', { name: 'Acknowledge: Webhook failing: Ops' }).click();
  await page.getByLabel('Note').fill('I am looking');
  await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
  await page.getByRole('cell', { name: `Acknowledged by ${organization.owner.email}` }).waitFor();
  equal(await page.getByRole('button', { name: /^Acknowledge: / }).count(), 0);
  await page.getByRole('link', { name: 'Webhook failing: Ops' }).click();
  await page.getByRole('heading', { name: 'Webhook failing: Ops' }).waitFor();
  await page.getByRole('button', { name: 'Acknowledge again…' }).click();
  await page.getByLabel('Note').fill('The certificate has expired');
  await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
  await untilToast(page, 'The incident was acknowledged. Further messages say so');
  await page.getByText(`Acknowledged by ${organization.owner.email}`).waitFor();
  await page.getByRole('button', { name: 'Assign…' }).click();
  await page.getByLabel('Assigned to').selectOption({ label: member.email });
  await inspect('incident-assign');
  await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click();
  await untilToast(page, 'The assignee was changed');
  await page.getByRole('button', { name: 'Mute…' }).click();
  await page.getByRole('menuitem', { name: 'For 4 hours' }).click();
  await page.getByRole('button', { name: 'Unmute' }).waitFor();
  await inspect('incident');
  await page.getByRole('button', { name: 'Unmute' }).click();
  await page.getByRole('button', { name: 'Mute…' }).waitFor();

  receiver.answer('/ops', { status: 200 });
  await emit();
  await lookUntil(open, (found) => found.length === 0);
  await goTo(`/alerts/incidents/${incident.id}`);
  const timeline = page.getByRole('list', { name: 'Timeline' });
  await timeline.getByText('Recovered', { exact: true }).waitFor();
  for (const what of [
    'Opened',
    'The certificate has expired',
    'Assigned by',
    'Muted by',
    'No longer muted by',
    'by Owners by e-mail',
  ])
    await timeline.getByText(what).first().waitFor();
  equal(await page.getByRole('button', { name: 'Acknowledge…' }).count(), 0);
  await page.getByRole('link', { name: 'Show webhook' }).click();
  await page.getByRole('heading', { name: 'Ops' }).waitFor();
  const { data: entries } = (await call(auditLogs.list, { ...by, query: { limit: '100' } })).body;
  const actions = entries.map(({ action }) => action).filter((action) => action.startsWith('incident.'));
  deepEqual(actions.toSorted(), [
    'incident.acknowledged',
    'incident.acknowledged',
    'incident.assigned',
    'incident.muted',
    'incident.unmuted',
  ]);
  // The audit log names the incident, and leads to it.
  await goTo('/audit?action=incident.acknowledged');
  await page.getByRole('table').getByRole('link', { name: /Ops/ }).first().click();
  await page.waitForURL(/\/alerts\/incidents\//);
});

test('console: a viewer reads an incident and can change nothing; a deleted webhook ends its incident', async () => {
  const body = { name: 'Gone', url: receiver.url('/gone'), events: ['organization.updated'], retryEnabled: false };
  const { id: webhookId } = (await call(webhooks.create, { ...by, body })).body.data;
  receiver.answer('/gone', { status: 503 });
  for (let n = 0; n < 3; n++) {
    await emit();
    await receiver.next(({ path }) => path === '/gone');
    await pause(1_100);
  }
  const [incident] = await lookUntil(open, (found) => found.length > 0);
  ok(incident);
  const own = await openConsole({ email: viewer.email });
  await own.goTo(`/alerts/incidents/${incident.id}`);
  const button = own.page.getByRole('button', { name: 'Acknowledge…' });
  await button.waitFor();
  equal(await button.getAttribute('aria-disabled'), 'true');
  equal((await call(webhooks.remove, { ...by, params: { webhookId } })).status, 200);
  await lookUntil(open, (found) => found.length === 0);
  own.check.problems();
});
