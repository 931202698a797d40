/** A failing backup reaches a new organization's owner by e-mail without any setting, its recovery too, and chats and PagerDuty. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, test } from 'vitest';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { incidents as incident } from '../../../shared/contract/endpoints/incidents.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { startAlertProviders } from '../../harness/alert/alert-providers.ts';
import { newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { revokeSource } from '../../harness/stage/firestore-faults.ts';
import { mailsTo, untilMails } from '../../harness/stage/mail.ts';
import { addMember, newOrganization } from '../../harness/stage/organization.ts';
import { startReceiver } from '../../harness/stage/receiver.ts';

const providers = await startAlertProviders();
afterAll(() => providers.stop());
const receiver = await startReceiver();
afterAll(() => receiver.stop());

const organization = await newOrganization(undefined, 'Analytical Engines');
const by = { token: organization.owner.accessToken, org: organization.id };
const [project, destination] = await Promise.all([newProject(organization, { name: 'Shop' }), newDestination(organization)]);
await seed(project.sourceProjectId, { 'users/ada': { name: { stringValue: 'Ada' } } });
const plan = { projectId: project.id, storageDestinationId: destination.id, name: 'Nightly', cron: '@yearly' };
const schedule = (await call(schedules.create, { ...by, body: plan })).body.data;
const run = async () => {
  const answer = await call(schedules.trigger, { ...by, params: { scheduleId: schedule.id } });
  equal(answer.status, 202, answer.text);
};
const create = async (body: object) => {
  const answer = await call(alerts.create, { ...by, body });
  equal(answer.status, 201, answer.text);
  return answer.body.data;
};
const subjects = async (email: string) =>
  (await mailsTo(email)).map(({ subject }) => subject).filter((text) => !text.includes('invited'));
const until = async <T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> => {
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    await pause(200);
  }
};
interface Told {
  readonly incident: { readonly id: string; readonly status: string; readonly page: string };
  readonly by?: { readonly email: string } | null;
}
const incidents = async (query: Record<string, string> = {}) => (await call(alerts.incidents, { ...by, query })).body.data;
const deliveries = async (alertId: string) =>
  (await call(alerts.deliveries, { ...by, params: { alertId } })).body.data.deliveries;

test('incident: a failed run is one message per alert, and its recovery another', async () => {
  const slack = await create({ name: 'Chat', channel: 'slack', url: providers.url('slack') });
  const pager = await create({
    name: 'Pager',
    channel: 'pagerduty',
    url: providers.url('pagerduty'),
    routingKey: '0123456789abcdef0123456789abcdef',
  });
  const other = await create({
    name: 'Webhooks only',
    channel: 'discord',
    url: providers.url('discord'),
    kinds: ['webhook_disabled'],
  });

  const subscription = { name: 'On call', url: receiver.url('/on-call'), events: ['incident.*'] };
  equal((await call(webhooks.create, { ...by, body: subscription })).status, 201);
  await revokeSource(project.sourceProjectId);
  await run();
  const [opening] = await untilMails(organization.owner.email);
  match(opening?.subject ?? '', /Backup failed: Shop/);
  await providers.next('slack');
  const { json: triggered } = await providers.next('pagerduty');

  const opened = await until(
    incidents,
    (found) => found.length > 1 && found.some(({ kind, alertIds }) => kind === 'backup_failed' && alertIds.length === 3),
  );
  const known = opened.map(({ kind }) => kind).sort();
  deepEqual(known, ['backup_failed', 'schedule_failed'], 'the run of the schedule is an incident of its own');
  const failed = opened.find(({ kind }) => kind === 'backup_failed');
  ok(failed);
  deepEqual([failed.status, failed.count, failed.project?.name, failed.recoveredAt], ['open', 1, 'Shop', null]);

  // A second failure is counted, and not reported.
  await run();
  await until(incidents, (found) => found.every(({ count }) => count === 2));

  // A member takes it; muting it for an hour keeps neither the acknowledgement nor the recovery from the alerts.
  const member = await addMember(organization, 'member');
  const take = { token: member.accessToken, org: organization.id, params: { incidentId: failed.id } };
  const note = 'The grant was revoked by mistake';
  const { acknowledgement } = (await call(incident.acknowledge, { ...take, body: { note } })).body.data;
  ok(acknowledgement);
  deepEqual([acknowledgement.by.email, acknowledgement.note], [member.email, note]);
  const assigneeId = acknowledgement.by.id;
  const mutedUntil = new Date(Date.now() + 3_600_000).toISOString();
  const taken = await call(incident.update, { ...take, body: { assigneeId, mutedUntil } });
  deepEqual([taken.body.data.assignee?.id, taken.body.data.mutedUntil], [assigneeId, mutedUntil], taken.text);

  await revokeSource(project.sourceProjectId, null);
  equal((await call(projects.reconnect, { ...by, params: { projectId: project.id } })).status, 200);
  await run();
  const [recovered] = await untilMails(organization.owner.email, 2);
  match(recovered?.subject ?? '', /Recovered.*Backup failed: Shop/);
  match(JSON.stringify((await providers.next('slack')).json), new RegExp(`Acknowledged by.*${member.email}`));
  const { json: resolved } = await providers.next('pagerduty');
  const [first, last] = [triggered, resolved] as readonly { readonly event_action: string; readonly dedup_key: string }[];
  deepEqual([first?.event_action, last?.event_action], ['trigger', 'resolve']);
  equal(first?.dedup_key, last?.dedup_key, 'PagerDuty resolves the same incident');

  // The incident of the schedule ends after that of its project.
  await until(
    () => incidents({ status: 'open' }),
    (found) => found.length === 0,
  );
  const told = new Map<string, Told>();
  while (told.size < 5) {
    const { body } = await receiver.next(({ path }) => path === '/on-call');
    const event = JSON.parse(body.toString()) as { readonly type: string; readonly data: Told };
    if (event.data.incident.id === failed.id) told.set(event.type, event.data);
  }
  deepEqual(
    [...told]
      .map(
        ([
          type,
          {
            incident: { status },
            by: person,
          },
        ]) => [type, status, person?.email],
      )
      .toSorted(),
    [
      ['incident.acknowledged', 'open', member.email],
      ['incident.assigned', 'open', member.email],
      ['incident.muted', 'open', member.email],
      ['incident.opened', 'open', undefined],
      ['incident.recovered', 'recovered', undefined],
    ],
  );
  match(told.get('incident.opened')?.incident.page ?? '', /^\/backups\/bkp_/, 'leads to the job that failed');
  const ofSchedule = (await incidents()).find(({ kind }) => kind === 'schedule_failed');
  match(ofSchedule?.page ?? '', /^\/backups\/bkp_/, 'the backup of the run says why it failed');
  equal((await subjects(organization.owner.email)).length, 2, 'one message about the failure, one about the recovery');
  for (const { id } of [slack, pager]) {
    // An answer is recorded after it was given.
    const told = await until(
      () => deliveries(id),
      (found) => found.every(({ status }) => status !== 'attempting'),
    );
    deepEqual(
      told.map(({ state, status, attempts, kind }) => ({ state, status, attempts, kind })),
      ['recovered', 'open'].map((state) => ({ state, status: 'delivered', attempts: 1, kind: 'backup_failed' })),
    );
  }
  deepEqual(await deliveries(other.id), []);
  const { timeline } = (await call(incident.get, { ...by, params: { incidentId: failed.id } })).body.data;
  deepEqual(
    timeline.filter(({ type }) => type !== 'message').map(({ type }) => type),
    ['opened', 'failed_again', 'acknowledged', 'assigned', 'muted', 'recovered'],
  );
  const messages = timeline.flatMap(({ type, message }) => (type === 'message' ? [message] : []));
  ok(messages.includes('Recovery delivered by Pager (pagerduty)'), messages.join('\n'));
  equal((await call(incident.acknowledge, take)).status, 409, 'it is over');
  const shown = await until(
    async () => (await call(alerts.get, { ...by, params: { alertId: slack.id } })).body.data,
    ({ lastDelivery }) => lastDelivery?.state === 'recovered',
  );
  deepEqual([shown.status, shown.failureCount], ['active', 0]);
  ok(!JSON.stringify(shown).includes('/slack/'), 'the URL is a secret');
});

test('incident: an alert that only has schedule_failed is told of a failed run, one with both kinds once', async () => {
  const both = await create({ name: 'Both', channel: 'teams', url: providers.url('teams', 'both') });
  const runs = await create({ name: 'Runs', channel: 'teams', url: providers.url('teams', 'runs'), kinds: ['schedule_failed'] });
  await revokeSource(project.sourceProjectId);
  await run();
  const endedOf = (id: string) =>
    until(
      () => deliveries(id),
      (found) => found.some(({ status }) => status !== 'attempting'),
    );
  deepEqual(
    (await endedOf(runs.id)).map(({ kind }) => kind),
    ['schedule_failed'],
  );
  deepEqual(
    (await endedOf(both.id)).map(({ kind }) => kind),
    ['backup_failed'],
  );
  await revokeSource(project.sourceProjectId, null);
});

test('incident: a deleted alert sends nothing more, and a gone one is disabled with an e-mail to the owner', async () => {
  const member = await addMember(organization, 'admin');
  const gone = await create({ name: 'Gone', channel: 'discord', url: providers.url('discord', 'gone') });
  const deleted = await create({ name: 'Deleted', channel: 'slack', url: providers.url('slack', 'deleted') });
  const admins = await create({ name: 'Admins', channel: 'email', recipients: 'admins', kinds: ['destination_error'] });
  providers.remove('discord', 'gone');
  equal((await call(alerts.remove, { ...by, params: { alertId: deleted.id } })).status, 200);
  const fresh = await newProject(organization, { name: 'Fresh' });
  await seed(fresh.sourceProjectId, { 'users/ada': { name: { stringValue: 'Ada' } } });
  const body = { ...plan, projectId: fresh.id, name: 'Fresh nightly' };
  const { id: scheduleId } = (await call(schedules.create, { ...by, body })).body.data;
  await revokeSource(fresh.sourceProjectId);
  equal((await call(schedules.trigger, { ...by, params: { scheduleId } })).status, 202);
  const disabled = await until(
    async () => (await call(alerts.get, { ...by, params: { alertId: gone.id } })).body.data,
    ({ enabled }) => !enabled,
  );
  deepEqual([disabled.status, disabled.disabledReason], ['disabled', 'gone']);
  await until(
    () => subjects(organization.owner.email),
    (found) => found.some((subject) => subject.startsWith('Alert disabled: Gone')),
  );
  deepEqual(providers.received('slack', 'deleted'), []);
  deepEqual(await subjects(member.email), [], 'the alert of admins has another kind');
  equal((await call(alerts.get, { ...by, params: { alertId: admins.id } })).body.data.status, 'active');

  // Removing the project ends its incidents.
  equal((await call(projects.remove, { ...by, params: { projectId: fresh.id } })).status, 200);
  await until(incidents, (found) =>
    found.filter(({ project: of }) => of?.id === fresh.id).every(({ status }) => status === 'recovered'),
  );
});
