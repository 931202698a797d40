/** People acknowledge, assign and mute open incidents; messages, the timeline and the sweep follow. */
import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { applySignal } from '../../../../shared/alert/incident/apply-signal.ts';
import type { FailureSignal } from '../../../../shared/alert/incident/signal.ts';
import {
  acknowledgeIncident,
  assessIncidents,
  getIncident,
  incidentDetails,
  notifyIncident,
  updateIncident,
} from '../../../../shared/alert/index.ts';
import { destinationKey } from '../../../../shared/destination/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { type Change, commit, iso, newIdOf } from '../../../../shared/platform/index.ts';
import { alertOf, createAlertEnv, hours, minutes, now, organization, tenant } from '../../../harness/env/alert-env.ts';

const { table, aws, reset, incidents, deliveries } = await createAlertEnv();
afterAll(() => aws.stop());

const ada = { type: 'user', id: newIdOf('user', now), email: 'ada@example.com' } as const;
const signal: FailureSignal = {
  state: 'failed',
  kind: 'destination_error',
  subject: { type: 'storage_destination', id: 'dst_1', name: 'Bucket' },
  project: null,
  at: iso(now),
  source: 'first',
  message: 'Access denied',
  facts: [],
  page: '/storage',
};
const fail = (source: string, at: Date, more: Partial<FailureSignal> = {}) =>
  applySignal(tenant, { ...signal, ...more, source, at: iso(at) }, at);
const notify = async (at: Date): Promise<void> => notifyIncident(tenant, { incidentId: only().id, now: at });
const only = () => {
  const [incident] = incidents();
  ok(incident);
  return incident;
};
const save = ({ change }: { readonly change: Change }) => commit([...change.writes]);
const update = (input: Parameters<typeof updateIncident>[1]['input'], at: Date) =>
  updateIncident(tenant, { organization, incident: only(), input, by: ada, now: at });
const join = (): void =>
  table.put({ ...organizationKey.member(tenant, ada.id), userId: ada.id, role: 'member', address: ada.email });

test('incident: messages say who has acknowledged it, and the timeline tells everything in order', async () => {
  const pager = alertOf();
  reset(pager);
  join();
  await fail('first', now);
  await notify(now);
  const { change } = acknowledgeIncident(tenant, {
    organization,
    incident: only(),
    by: ada,
    note: 'Asking the bank',
    now: minutes(1),
  });
  deepEqual(
    change.audit.map(({ action, resource }) => [action, resource.type]),
    [['incident.acknowledged', 'incident']],
  );
  await commit([...change.writes]);
  await save(await update({ assigneeId: ada.id }, minutes(2)));
  await fail('second', hours(24));
  await notify(hours(24));
  const [, reminder] = deliveries(pager);
  equal(reminder?.message?.acknowledgedBy, ada.email);
  equal(reminder?.message?.assignedTo, ada.email);
  await applySignal(
    tenant,
    { state: 'recovered', kind: 'destination_error', subjectId: 'dst_1', at: iso(hours(25)), message: 'It works again' },
    hours(25),
  );
  await notify(hours(25));
  equal(deliveries(pager)[2]?.state, 'recovered', 'an acknowledged incident reports its recovery');
  const { timeline, acknowledgement, assignee } = await incidentDetails(tenant, only(), { now: hours(25) });
  const limited = await incidentDetails(tenant, only(), { now: hours(25), showsAlerts: false });
  deepEqual(
    limited.timeline,
    timeline.filter(({ type }) => type !== 'message'),
    'a key of one project sees no alerts',
  );
  deepEqual(
    timeline.map(({ type, by }) => [type, by?.email]).filter(([type]) => type !== 'message'),
    [
      ['opened', undefined],
      ['acknowledged', ada.email],
      ['assigned', ada.email],
      ['failed_again', undefined],
      ['reminded', undefined],
      ['recovered', undefined],
    ],
  );
  equal(timeline.filter(({ type }) => type === 'message').length, 3, 'opening, reminder and recovery');
  match(timeline.find(({ type }) => type === 'message')?.message ?? '', /^Opening being sent by Pager \(slack\)$/);
  deepEqual([acknowledgement?.note, assignee?.id], ['Asking the bank', ada.id]);
  throws(
    () => acknowledgeIncident(tenant, { organization, incident: only(), by: ada, note: null, now: hours(26) }),
    /incident is over/,
  );
});

test('incident: while it is muted nothing is sent; a reminder follows when the time is over, none if a person ends it', async () => {
  const pager = alertOf();
  reset(pager);
  await fail('first', now);
  await notify(now);
  table.put({ ...destinationKey(tenant, 'dst_1'), id: 'dst_1', name: 'Bucket', status: 'error' });
  await rejects(update({ mutedUntil: iso(minutes(-1)) }, now), /mutedUntil: must be in the future/);
  await rejects(update({ mutedUntil: iso(hours(24 * 31)) }, now), /at most 30 days/);
  await save(await update({ mutedUntil: iso(hours(48)) }, now));
  await fail('second', hours(24), { isNews: true });
  await notify(hours(24));
  equal(deliveries(pager).length, 1);
  equal(only().count, 2, 'failures are still counted');
  await assessIncidents(tenant, hours(47));
  equal(only().mutedUntil, iso(hours(48)));
  await assessIncidents(tenant, hours(49));
  const later = incidents().find(({ kind }) => kind === 'destination_error');
  deepEqual([later?.mutedUntil, later?.reminders], [undefined, 1]);
  await notify(hours(49));
  deepEqual(
    deliveries(pager).map(({ state }) => state),
    ['open', 'reminder'],
  );
  await save(await update({ mutedUntil: iso(hours(60)) }, hours(50)));
  await save(await update({ mutedUntil: null }, hours(51)));
  await notify(hours(51));
  equal(deliveries(pager).length, 2);
  deepEqual((await update({ mutedUntil: null }, hours(52))).change.writes, [], 'it is not muted');
});

test('incident: it is assigned to members only, and is no one’s once the member has left', async () => {
  reset(alertOf());
  await fail('first', now);
  await rejects(update({ assigneeId: ada.id }, now), { code: 'MEMBER_NOT_FOUND' });
  join();
  table.put({ ...destinationKey(tenant, 'dst_1'), id: 'dst_1', name: 'Bucket', status: 'error' });
  const assigned = await update({ assigneeId: ada.id }, now);
  await save(assigned);
  await rejects(save(assigned), { code: 'CONFLICT' }, 'it was changed meanwhile');
  deepEqual((await update({ assigneeId: ada.id }, now)).change.audit, [], 'nothing changes');
  const { pk, sk } = organizationKey.member(tenant, ada.id);
  table.items.delete(`${pk}\n${sk}`);
  await assessIncidents(tenant, minutes(10));
  const left = incidents().find(({ kind }) => kind === 'destination_error');
  equal(left?.assignee, undefined);
  match(left?.timeline?.at(-1)?.message ?? '', /ada@example.com has left/);
  await rejects(getIncident(tenant, newIdOf('incident', now), now), { code: 'INCIDENT_NOT_FOUND' });
});

test('incident: each step is an event with the incident as it is then', async () => {
  reset(alertOf());
  join();
  await fail('first', now);
  await fail('second', minutes(1));
  await save(acknowledgeIncident(tenant, { organization, incident: only(), by: ada, note: 'On it', now: minutes(2) }));
  await save(await update({ assigneeId: ada.id, mutedUntil: iso(hours(2)) }, minutes(3)));
  // The owner's record of a member has gone, and the time of muting is over: the service changes both by itself.
  const { pk, sk } = organizationKey.member(tenant, ada.id);
  table.items.delete(`${pk}\n${sk}`);
  table.put({ ...destinationKey(tenant, 'dst_1'), id: 'dst_1', name: 'Bucket', status: 'error' });
  await assessIncidents(tenant, hours(3));
  table.put({ ...destinationKey(tenant, 'dst_1'), id: 'dst_1', name: 'Bucket', status: 'connected' });
  await assessIncidents(tenant, hours(4));
  const emitted = table.find(pk, 'EVENT#').filter(({ data }) => {
    const { incident } = data as { readonly incident?: { readonly kind: string } };
    return incident?.kind === 'destination_error';
  });
  const seen = emitted
    .map(({ id, type, data }) => ({ id: String(id), type, data: data as Told }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ type, data: { incident, by } }) => [
      type,
      by?.email,
      incident.status,
      incident.acknowledgement?.note,
      incident.assignee?.email,
      incident.mutedUntil,
    ]);
  const none = undefined;
  const muted = iso(hours(2));
  // Steps of one change have the same time: their order is not fixed.
  const byName = (a: readonly unknown[], b: readonly unknown[]) => (String(a) < String(b) ? -1 : 1);
  deepEqual(seen.slice(0, 2), [
    ['incident.opened', none, 'open', none, none, null],
    ['incident.acknowledged', ada.email, 'open', 'On it', none, null],
  ]);
  deepEqual(seen.slice(2, 4).toSorted(byName), [
    ['incident.assigned', ada.email, 'open', 'On it', ada.email, muted],
    ['incident.muted', ada.email, 'open', 'On it', ada.email, muted],
  ]);
  deepEqual(seen.slice(4, 6).toSorted(byName), [
    ['incident.assigned', none, 'open', 'On it', none, null],
    ['incident.muted', none, 'open', 'On it', none, null],
  ]);
  deepEqual(seen.slice(6), [['incident.recovered', none, 'recovered', 'On it', none, null]]);
});

interface Told {
  readonly by?: { readonly email: string } | null;
  readonly incident: {
    readonly status: string;
    readonly acknowledgement: { readonly note: string } | null;
    readonly assignee: { readonly email: string } | null;
    readonly mutedUntil: string | null;
  };
}
