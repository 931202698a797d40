/** A run that is due and only waits for capacity keeps its place until its next due time. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { readBackupCapacity } from '../../../../shared/backup/index.ts';
import { countJobStart, type OrganizationRecord, organizationKey } from '../../../../shared/organization/index.ts';
import { dueTimeOf } from '../../../../shared/overview/index.ts';
import { commit, newId, StaleReadError } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { type ScheduleRecord, showSchedules, updateSchedule } from '../../../../shared/schedule/index.ts';
import { createScheduleEnv } from '../../../harness/env/schedule-env.ts';

const t = createScheduleEnv();
const setLimit = (concurrentBackups: number): void => {
  process.env.ORGANIZATION_LIMITS = JSON.stringify({ concurrentBackups });
};

beforeEach(() => {
  t.newWorld();
  setLimit(1);
});
afterAll(() => void delete process.env.ORGANIZATION_LIMITS);

const night = '2026-03-02T03:00:00.000Z';

/** One schedule for each of as many projects. */
const addSchedules = async (count: number, cron = '0 3 * * *'): Promise<readonly ScheduleRecord[]> => {
  const schedules: ScheduleRecord[] = [];
  for (let n = 0; n < count; n++) {
    const id = newId('project', t.clock.now());
    const project = t.projectOf({ ...projectKey.project(t.tenant, id), id, name: `Shop ${n}` });
    t.table.put(project);
    schedules.push(await t.addSchedule({ name: `Nightly ${n}`, cron }, project));
    t.pass(1);
  }
  await t.drain();
  return schedules;
};
const waits = async (schedules: readonly ScheduleRecord[]) =>
  (await showSchedules(t.tenant, schedules.map(t.scheduleOf))).map(({ waitingFor }) => waitingFor);
const running = () => t.backups().filter(({ status }) => status === 'pending');
const started = () => t.events().filter(({ type }) => type === 'schedule.triggered');

test('waiting: a run beyond the limit is shown with its position and starts hours later, the one that was due first before others', async () => {
  const [first, second] = await addSchedules(2);
  const [third] = await addSchedules(1, '10 3 * * *');
  t.at(night);
  await t.tickAt(first!, night);
  await t.tickAt(second!, night);
  t.pass(600);
  await t.tickAt(third!, '2026-03-02T03:10:00.000Z');
  deepEqual(await waits([first!, second!, third!]), [
    null,
    { reason: 'capacity', since: night, position: 1 },
    { reason: 'capacity', since: '2026-03-02T03:10:00.000Z', position: 2 },
  ]);
  for (let passed = 0; passed < 24; passed++) {
    t.pass(600);
    await t.drain();
    await t.watch();
  }
  equal(t.waiting.length, 2, 'each waits in one message');
  deepEqual(t.eventSummaries(), ['triggered']);
  // Its backup is late for a reason that is known: nothing is overdue, and no alert is due.
  equal(dueTimeOf({ ...t.scheduleOf(second!), updatedAt: '2026-01-01' }, t.clock.now()), '2026-03-01T03:00:00.000Z');
  await t.end(running()[0]!);
  await t.tickAt(third!, '2026-03-02T03:10:00.000Z');
  equal(running().length, 0, 'the place belongs to the one that was due first');
  t.pass(60);
  await t.drain();
  deepEqual(
    running().map(({ scheduleId }) => scheduleId),
    [second!.id],
  );
  equal(t.scheduleOf(second!).lastTick, night);
  equal(dueTimeOf({ ...t.scheduleOf(second!), updatedAt: '2026-01-01' }, t.clock.now()), '2026-03-01T03:00:00.000Z');
  deepEqual(
    (await waits([second!, third!])).map((wait) => wait?.position),
    [undefined, 1],
  );
});

test('waiting: at its next due time it is missed, the event says why, and the new run waits in its turn', async () => {
  const [first, second] = await addSchedules(2, '*/30 * * * *');
  t.at('2026-03-01T12:30:00.000Z');
  await t.tickAt(first!, '2026-03-01T12:30:00Z');
  await t.tickAt(second!, '2026-03-01T12:30:00Z');
  t.pass(1_800);
  await t.tickAt(second!, '2026-03-01T13:00:00Z');
  await t.drain();
  deepEqual(t.eventSummaries(), ['triggered', 'failed missed SCHEDULE_MISSED']);
  const { failing, lastOutcome, nextRunAt } = t.scheduleOf(second!);
  match(
    failing?.message ?? '',
    /^It waited for capacity since 2026-03-01T12:30:00.000Z, until the next due time\. The organization runs 1 backups, as many as it may/,
  );
  deepEqual([lastOutcome?.status, lastOutcome?.backupId], ['missed', null]);
  equal(nextRunAt, '2026-03-01T13:00:00.000Z');
  deepEqual(await waits([second!]), [{ reason: 'capacity', since: '2026-03-01T13:00:00.000Z', position: 1 }]);
});

test('waiting: a hundred nightly backups of 20 minutes with 20 at once all run', async () => {
  setLimit(20);
  const schedules = await addSchedules(100, '0 2 * * *');
  const due = '2026-03-02T02:00:00.000Z';
  t.at(due);
  // They arrive together, as the ticks of a night do.
  await Promise.all(schedules.map((schedule) => t.tickAt(schedule, due)));
  let most = 0;
  for (let rounds = 0; started().length < 100 || running().length > 0; rounds++) {
    ok(rounds <= 5, `${started().length} of 100 have started after ${rounds} rounds`);
    most = Math.max(most, running().length);
    t.pass(1_200);
    for (const backup of running()) await t.end(backup);
    t.pass(60);
    await t.drain();
  }
  equal(most, 20);
  deepEqual(
    t.eventSummaries().filter((summary) => summary !== 'triggered'),
    [],
  );
  deepEqual(new Set(started().map(({ data }) => (data as { schedule?: { id: string } }).schedule?.id)).size, 100);
});

test('waiting: of concurrent runs no more start than there is room for', async () => {
  setLimit(3);
  const schedules = await addSchedules(12);
  t.at(night);
  await Promise.all(schedules.map((schedule) => t.tickAt(schedule, night)));
  equal(running().length, 3);
  equal((await waits(schedules)).filter(Boolean).length, 9);
});

/** Both schedules are due at night; the first one runs, the second one waits for capacity for 70 minutes. */
const waitSeventyMinutes = async (schedules: readonly ScheduleRecord[]): Promise<void> => {
  t.at(night);
  for (const schedule of schedules) await t.tickAt(schedule, night);
  for (let passed = 0; passed < 70; passed += 10) {
    t.pass(600);
    await t.drain();
  }
  deepEqual(t.eventSummaries(), ['triggered']);
};
const jobOf = ({ projectId }: ScheduleRecord) => projectKey.job(t.tenant, projectId);
const lock = (schedule: ScheduleRecord): void =>
  t.table.put({ ...jobOf(schedule), jobId: 'rst_1', kind: 'restore', since: night });
const unlock = (schedule: ScheduleRecord): void => {
  const { pk, sk } = jobOf(schedule);
  t.table.items.delete(`${pk}\n${sk}`);
};
/** Minute by minute, as messages are postponed. */
const passMinutes = async (minutes: number): Promise<void> => {
  for (let n = 0; n < minutes; n++) {
    t.pass(60);
    await t.drain();
  }
};

test('waiting: a run that has waited for over an hour and then finds its project busy has an hour from then', async () => {
  const [first, second] = await addSchedules(2);
  await waitSeventyMinutes([first!, second!]);
  lock(second!);
  await t.end(running()[0]!);
  await passMinutes(50);
  deepEqual(t.eventSummaries(), ['triggered']);
  // It no longer waits for capacity, and its backup is still to come.
  deepEqual(await waits([second!]), [null]);
  equal(dueTimeOf({ ...t.scheduleOf(second!), updatedAt: '2026-01-01' }, t.clock.now()), '2026-03-01T03:00:00.000Z');
  unlock(second!);
  await passMinutes(1);
  deepEqual(t.eventSummaries(), ['triggered', 'triggered']);
  equal(t.scheduleOf(second!).lastTick, night);
});

test('waiting: a run whose project stays busy for that hour fails, and the event says for what it waited', async () => {
  const [first, second] = await addSchedules(2);
  await waitSeventyMinutes([first!, second!]);
  lock(second!);
  await t.end(running()[0]!);
  await passMinutes(62);
  deepEqual(t.eventSummaries(), ['triggered', 'failed failed JOB_IN_PROGRESS']);
  match(
    t.scheduleOf(second!).failing?.message ?? '',
    /^A restore of this project is in progress; the job did not end in time\. Before, it waited for capacity from 2026-03-02T03:00:00.000Z to 2026-03-02T04:1/,
  );
});

test('waiting: if capacity is used up again meanwhile, the run waits for it again, in its place and since the same time', async () => {
  const [first, second] = await addSchedules(2);
  const [third] = await addSchedules(1, '10 3 * * *');
  await waitSeventyMinutes([first!, second!]);
  await t.tickAt(third!, '2026-03-02T03:10:00.000Z');
  lock(second!);
  await t.end(running()[0]!);
  await passMinutes(2);
  deepEqual(
    running().map(({ scheduleId }) => scheduleId),
    [third!.id],
  );
  unlock(second!);
  deepEqual(await waits([second!]), [{ reason: 'capacity', since: night, position: 1 }]);
});

test('waiting: a run whose project is busy does not hold up those behind it', async () => {
  const [first, second, third] = await addSchedules(3);
  t.at(night);
  for (const schedule of [first!, second!, third!]) await t.tickAt(schedule, night);
  lock(second!);
  deepEqual(
    (await waits([second!, third!])).map((wait) => wait?.position),
    [1, 1],
  );
  await t.end(running()[0]!);
  // Before the message of the second one arrives.
  await t.perform(t.messageOf({ kind: 'run-schedule', scheduleId: third!.id, at: night, tries: 1 }));
  deepEqual(
    running().map(({ scheduleId }) => scheduleId),
    [third!.id],
  );
});

test('waiting: several runs of one project take one place, because only one of them can start', async () => {
  const [first, second, third] = await addSchedules(3);
  const sibling = await t.addSchedule({ name: 'Sibling' }, t.table.get(projectKey.project(t.tenant, second!.projectId)));
  const [last] = await addSchedules(1);
  t.at(night);
  for (const schedule of [first!, second!, third!, sibling, last!]) await t.tickAt(schedule, night);
  deepEqual(
    (await waits([second!, third!, sibling, last!])).map((wait) => wait?.position),
    [1, 2, 3, 3],
  );
});

test('waiting: events show the run that waits as the API does, and none once it has started', async () => {
  const [first, second, third] = await addSchedules(3);
  t.at(night);
  for (const schedule of [first!, second!, third!]) await t.tickAt(schedule, night);
  const shownIn = (type: string) =>
    t.events().flatMap((event) => (event.type === type ? [(event.data as { schedule?: object }).schedule] : []));
  const { change } = await updateSchedule(t.caller, {
    schedule: t.scheduleOf(third!),
    project: t.projectOf(),
    given: { name: 'Renamed' },
    now: t.clock.now(),
  });
  await commit(change.writes);
  const [shown] = await showSchedules(t.tenant, [t.scheduleOf(third!)]);
  deepEqual(shown?.waitingFor, { reason: 'capacity', since: night, position: 2 });
  deepEqual(shownIn('schedule.updated'), [{ ...shown, cronExpression: shown?.cron, projectName: 'Shop' }]);
  await t.end(running()[0]!);
  await passMinutes(1);
  deepEqual(
    shownIn('schedule.triggered').map((schedule) => (schedule as { waitingFor: object | null }).waitingFor),
    [null, null],
  );
});

test('capacity: a start fails if any other job has started since capacity was read', async () => {
  const organization = () => t.table.get<OrganizationRecord>(organizationKey.organization(t.tenant))!;
  for (const before of [undefined, 1]) {
    equal(organization().jobsStarted, before);
    const [one, two] = [await readBackupCapacity(t.tenant, organization()), await readBackupCapacity(t.tenant, organization())];
    await commit([one.claim]);
    await rejects(commit([two.claim]), StaleReadError);
  }
  const { claim } = await readBackupCapacity(t.tenant, organization());
  // A backup, restore or restore test that is started by hand.
  await commit([countJobStart(t.tenant)]);
  await rejects(commit([claim]), StaleReadError);
});
