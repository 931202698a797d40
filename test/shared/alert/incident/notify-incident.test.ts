/** Every alert that matches gets one message when an incident opens and one when it is over; storms are grouped. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { applySignal } from '../../../../shared/alert/incident/apply-signal.ts';
import type { FailureSignal } from '../../../../shared/alert/incident/signal.ts';
import { assessIncidents, notifyIncident } from '../../../../shared/alert/index.ts';
import { alertMessagesPerHour } from '../../../../shared/contract/limits.ts';
import { iso, newIdOf } from '../../../../shared/platform/index.ts';
import { alertOf, createAlertEnv, hours, minutes, now, tenant } from '../../../harness/env/alert-env.ts';

const { table, aws, reset, incidents, deliveries, held, messages } = await createAlertEnv();
afterAll(() => aws.stop());

const project = { id: newIdOf('project', hours(-10)), name: 'Shop' };
const failure = (name: string, more: Partial<FailureSignal> = {}): FailureSignal => ({
  state: 'failed',
  kind: 'destination_error',
  subject: { type: 'storage_destination', id: name, name },
  project: null,
  at: iso(now),
  source: name,
  message: 'Access denied',
  facts: [],
  page: '/storage',
  ...more,
});
const notifyAll = async (at = now): Promise<void> => {
  for (const { id } of incidents()) await notifyIncident(tenant, { incidentId: id, now: at });
};
const recover = (name: string, at: Date) =>
  applySignal(
    tenant,
    { state: 'recovered', kind: 'destination_error', subjectId: name, at: iso(at), message: 'It works again' },
    at,
  );

test('notify: alerts are chosen by severity, kind and project, and each gets one message for each state', async () => {
  const all = alertOf();
  const critical = alertOf({ id: newIdOf('alert', hours(-9)), severity: 'critical' });
  const others = alertOf({ id: newIdOf('alert', hours(-8)), kinds: ['webhook_disabled'] });
  const elsewhere = alertOf({ id: newIdOf('alert', hours(-7)), projectIds: [newIdOf('project', now)] });
  const disabled = alertOf({ id: newIdOf('alert', hours(-6)), enabled: false });
  const ids = [all, critical, others, elsewhere, disabled].map((alert) => ({ ...alert, sk: `ALERT#${alert.id}` }));
  reset(...ids);
  await applySignal(tenant, failure('a', { project }), now);
  await notifyAll();
  await notifyAll();
  await recover('a', minutes(5));
  await notifyAll(minutes(5));
  await notifyAll(minutes(6));
  deepEqual(
    deliveries(all).map(({ state }) => state),
    ['open', 'recovered'],
  );
  equal(deliveries(all)[1]?.follows, deliveries(all)[0]?.id, 'the recovery waits for the opening');
  for (const alert of [critical, others, elsewhere, disabled]) deepEqual(deliveries(alert), [], alert.id);
  deepEqual(incidents()[0]?.alertIds, [all.id]);
});

test('notify: an alert that was enabled after the opening is told of neither the opening nor the recovery', async () => {
  const alert = alertOf({ enabled: false });
  reset(alert);
  await applySignal(tenant, failure('a'), now);
  await notifyAll();
  table.put({ ...alert, enabled: true });
  await recover('a', minutes(5));
  await notifyAll(minutes(5));
  deepEqual(deliveries(alert), []);
});

test('notify: an alert that was spared, because another incident reported the failure, is told of one that only this reports', async () => {
  const alert = alertOf();
  reset(alert);
  const schedule = { kind: 'schedule_failed', subject: { type: 'schedule', id: 'a', name: 'Nightly' }, project } as const;
  await applySignal(tenant, failure('first', { ...schedule, coveredBy: 'backup_failed' }), now);
  await notifyAll();
  deepEqual(deliveries(alert), []);
  await applySignal(tenant, failure('second', { ...schedule, at: iso(hours(1)), message: 'No destination' }), hours(1));
  await notifyAll(hours(1));
  await applySignal(tenant, failure('third', { ...schedule, at: iso(hours(2)) }), hours(2));
  await notifyAll(hours(2));
  deepEqual(
    deliveries(alert).map(({ state, message }) => [state, message?.text]),
    [['open', 'No destination']],
  );
  deepEqual([incidents()[0]?.count, incidents()[0]?.alertIds], [3, [alert.id]]);
});

test('notify: beyond the hourly limit one message says so, and the rest follows in one when the hour is over', async () => {
  const alert = alertOf();
  reset(alert);
  const count = alertMessagesPerHour + 5;
  for (let n = 0; n < count; n++) await applySignal(tenant, failure(`bucket-${String(n).padStart(2, '0')}`), now);
  await notifyAll();
  await notifyAll();
  const states = deliveries(alert).map(({ state }) => state);
  deepEqual(
    [states.filter((state) => state === 'open').length, states.filter((state) => state === 'summary').length, held().length],
    [alertMessagesPerHour, 1, 5],
  );
  ok(
    held().every(({ ttl }) => Number(ttl) > now.getTime() / 1_000),
    'an item that nothing releases expires',
  );
  await assessIncidents(tenant, minutes(30));
  equal(held().length, 5, 'the hour is not over');
  // The destinations do not exist here, so that their incidents are over, too.
  const before = messages().length;
  await assessIncidents(tenant, minutes(61));
  deepEqual(held(), []);
  deepEqual(aws.sent('BatchWriteItem'), [], 'only the purge has the permission');
  const grouped = deliveries(alert).filter(({ title }) => /^\d+ grouped/.test(title));
  equal(grouped.length, 1);
  match(grouped[0]?.message?.text ?? '', /Storage destination in error: bucket-2/);
  equal(messages().length > before, true);
});

for (const [channel, sent] of [
  ['pagerduty', 1],
  ['slack', 0],
] as const)
  test(`notify: beyond the hourly limit ${channel} gets ${sent} message of a recovery`, async () => {
    const alert = alertOf({ channel });
    reset(alert);
    for (let n = 0; n <= alertMessagesPerHour; n++) await applySignal(tenant, failure(`bucket-${n}`), now);
    await notifyAll();
    const opened = deliveries(alert).find(({ state }) => state === 'open');
    const about = incidents().find(({ id }) => id === opened?.incidentId);
    await recover(about?.subject.id ?? '', minutes(5));
    await notifyAll(minutes(5));
    deepEqual([deliveries(alert).filter(({ state }) => state === 'recovered').length, held().length], [sent, 2 - sent]);
  });
