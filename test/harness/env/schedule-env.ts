/**
 * The environment of schedules in one process: a strict table, a queue and a Scheduler under a manual clock, and a worker that can
 * crash at any effect. Messages are delivered when they are due, in that order.
 */

import { readTask, type Task, type TaskMessage, taskMessage } from '../../../shared/event/index.ts';
import { type CallerContext, type OrganizationRecord, organizationKey } from '../../../shared/organization/index.ts';
import {
  commit,
  iso,
  newId,
  type QueueMessage,
  type SchedulerEntry,
  type Tenant,
  unsafeTenant,
} from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import { watchDue } from '../../../shared/recurring/index.ts';
import type { ScheduleInput } from '../../../shared/schedule/api/schedule-input.ts';
import {
  createSchedule,
  recordOutcome,
  type ScheduleRecord,
  scheduleKey,
  scheduleKind,
  syncAllSchedules,
  syncSchedule,
  tick,
} from '../../../shared/schedule/index.ts';
import { postponeTick } from '../../../shared/schedule/run/postpone-tick.ts';
import { type BackupRecord, backupKey, backupPrefix } from '../../../shared/stored-backup/index.ts';
import { answerInProcess } from '../aws/in-process.ts';
import { CrashInjector } from '../faults/crash-injector.ts';
import { InMemoryTable } from '../table/in-memory-table.ts';

interface ScheduleEvent {
  readonly type: string;
  readonly data: {
    readonly reason?: string;
    readonly scheduledFor?: string;
    readonly backupId?: string;
    readonly error?: { code: string };
  };
}

/** Everything a test needs. `newWorld` empties it and is called before each test. */
export const createScheduleEnv = () => {
  const table = new InMemoryTable();
  /** Scheduler entries, by name. */
  const entries = new Map<string, SchedulerEntry>();
  /** Messages in the queue. */
  let waiting: { readonly body: string; readonly dueMs: number }[] = [];
  /** The senders that the queue has seen. */
  const senders = new Set<string>();
  let nowMs = 0;
  let machine = new CrashInjector();
  let given = new Set<string>();

  answerInProcess(table.script);
  process.env.DATA_KEY_ID = 'data-key';

  const clock = { now: () => new Date(nowMs) };
  const at = (moment: string): void => {
    nowMs = Date.parse(moment);
  };
  const pass = (seconds: number): void => {
    nowMs += seconds * 1_000;
  };

  const accept = (messages: readonly QueueMessage[]): void => {
    for (const { sender } of messages) senders.add(sender);
    waiting.push(...messages.map(({ body, delaySeconds = 0 }) => ({ body, dueMs: nowMs + delaySeconds * 1_000 })));
  };
  const scheduler = {
    put: (entry: SchedulerEntry) => machine.effect(async () => void entries.set(entry.name, entry)),
    remove: (name: string) => machine.effect(async () => void entries.delete(name)),
  };
  const send = (messages: readonly QueueMessage[]): Promise<void> => machine.effect(async () => accept(messages));

  const userId = newId('user');
  const tenant = unsafeTenant(newId('organization'), 'record');
  const projectId = newId('project');
  const destinationId = newId('storageDestination');
  const start = '2026-03-01T12:00:00.000Z';

  const organizationOf = (of: Tenant = tenant): OrganizationRecord => ({
    ...organizationKey.organization(of),
    id: of.organizationId,
    name: 'Acme',
    slug: 'acme',
    ownerId: userId,
    timezone: 'UTC',
    defaultStorageId: destinationId,
    memberCount: 1,
    projectCount: 1,
    backupCount: 0,
    storageUsed: 0,
    createdAt: start,
    updatedAt: start,
  });
  const projectOf = (more: Partial<ProjectRecord> = {}): ProjectRecord => ({
    ...projectKey.project(tenant, projectId),
    id: projectId,
    name: 'Shop',
    sourceProjectId: 'shop',
    databaseId: '(default)',
    status: 'connected',
    connection: { type: 'user', userId, email: 'ann@example.com' },
    settings: { backupTimeoutMinutes: 30, defaultStorageId: null },
    pitr: { enabled: false },
    lastBackupAt: null,
    createdAt: start,
    updatedAt: start,
    ...more,
  });
  const caller: CallerContext = {
    tenant,
    organization: organizationOf(),
    role: 'owner',
    actor: { type: 'user', id: userId, email: 'ann@example.com' },
  };

  /** An organization with a project and a destination, at noon. Nothing is due. */
  const newWorld = (): void => {
    table.items.clear();
    entries.clear();
    senders.clear();
    waiting = [];
    given = new Set();
    setMachine(new CrashInjector());
    at(start);
    table.put(organizationOf());
    table.put(projectOf());
    table.put({
      ...organizationKey.storageDestination(tenant, destinationId),
      id: destinationId,
      name: 'Bucket',
      type: 's3',
      bucket: 'bucket',
      prefix: '',
      backupCount: 0,
      status: 'connected',
    });
  };

  const setMachine = (next: CrashInjector): void => {
    machine = next;
    table.onWrite = (when) => machine.atWrite(when);
    table.onRead = () => machine.atRead();
  };

  /** Every day at 03:00 UTC by default. */
  const addSchedule = async (more: Partial<ScheduleInput> = {}, project = projectOf()): Promise<ScheduleRecord> => {
    const input: ScheduleInput = {
      name: 'Nightly',
      cron: '0 3 * * *',
      timezone: 'UTC',
      type: 'full',
      enabled: true,
      retention: null,
      retentionPolicy: null,
      collections: ['*'],
      excludeCollections: [],
      includeAuthUsers: false,
      storageDestinationId: null,
      ...more,
    };
    const { schedule, change } = await createSchedule(caller, { project, input, now: clock.now() });
    await commit(change.writes);
    return schedule;
  };

  const scheduleOf = ({ id }: Pick<ScheduleRecord, 'id'>): ScheduleRecord => {
    const found = table.get<ScheduleRecord>(scheduleKey.schedule(tenant, id));
    if (!found) throw new Error('there is no such schedule');
    return found;
  };
  const backups = (): readonly BackupRecord[] =>
    table.find(`ORG#${tenant.organizationId}`, backupPrefix) as unknown as readonly BackupRecord[];
  const dueTimes = (): readonly string[] => table.find('DUE#SCHEDULE').map((item) => String(item.at));
  /** The schedule events in their order, without schedule.created. */
  const events = (of: Tenant = tenant): readonly ScheduleEvent[] =>
    (table.find(`ORG#${of.organizationId}`, 'EVENT#') as unknown as readonly ScheduleEvent[]).filter(
      ({ type }) => type.startsWith('schedule.') && type !== 'schedule.created',
    );
  /** Each event as `<type> <reason> <code>`. */
  const eventSummaries = (): readonly string[] =>
    events().map(({ type, data: { reason, error } }) =>
      [type.replace('schedule.', ''), reason, error?.code].filter(Boolean).join(' '),
    );

  const perform = (message: TaskMessage): Promise<unknown> => {
    const { organizationId, task } = message;
    const of = unsafeTenant(organizationId, 'record');
    switch (task.kind) {
      case 'run-schedule':
        return tick(of, { scheduleId: task.scheduleId, at: new Date(task.at), tries: task.tries ?? 0 }, tickDeps);
      case 'sync-schedule':
        return syncSchedule(of, task.scheduleId, { time: clock, entries: scheduler });
      case 'sync-schedules':
        return syncAllSchedules(of, { task, until: new Date(nowMs + 1_000), time: clock, entries: scheduler });
      case 'schedule-outcome':
        return recordOutcome(of, { scheduleId: task.scheduleId, backupId: task.backupId, time: clock });
      default:
        throw new Error(`unexpected task ${task.kind}`);
    }
  };
  const tickDeps: NonNullable<Parameters<typeof tick>[2]> = {
    clock,
    postpone: (context, received, obstacle) =>
      postponeTick(context, received, { ...obstacle, send: (of, task, options) => send([taskMessage(of, task, options)]) }),
    sync: (of, scheduleId) => syncSchedule(of, scheduleId, { time: clock, entries: scheduler }),
  };

  const messageOf = (task: Task): TaskMessage => ({ id: newId('task'), organizationId: tenant.organizationId, task });
  /** Performs a tick as Scheduler sends it. */
  const tickAt = ({ id }: Pick<ScheduleRecord, 'id'>, moment: string): Promise<unknown> =>
    perform(messageOf({ kind: 'run-schedule', scheduleId: id, at: moment }));
  const watch = () => watchDue(scheduleKind, { tenantOf: (id) => unsafeTenant(id, 'record'), now: clock.now(), send });

  /** Outbox tasks of the schedule queue that were not delivered yet. */
  const tasks = (): readonly string[] =>
    table
      .find('ORG#', 'TASK#')
      .filter(({ queue, sk }) => queue === 'schedule' && !given.has(String(sk)))
      .map(({ sk, message }) => {
        given.add(String(sk));
        return String(message);
      });

  /** Delivers all due messages, also those added meanwhile. A message whose worker crashed is delivered again to a new one. */
  const drain = async (): Promise<void> => {
    for (;;) {
      for (const body of tasks()) waiting.push({ body, dueMs: nowMs });
      const next = waiting.find(({ dueMs }) => dueMs <= nowMs);
      if (!next) return;
      waiting = waiting.filter((one) => one !== next);
      const message = readTask(next.body);
      if (!message) throw new Error('unknown kind of message');
      try {
        await perform(message);
      } catch (error) {
        if (!machine.isDead) throw error;
        setMachine(new CrashInjector());
        waiting.push(next);
      }
    }
  };

  /** Ends a backup as its workflow does: releases the project's lock and enqueues the outcome. */
  const end = async (backup: BackupRecord, error: BackupRecord['error'] = null): Promise<void> => {
    const completedAt = iso(clock.now());
    table.put({ ...backup, status: error ? 'failed' : 'completed', completedAt, error });
    const lock = projectKey.job(tenant, backup.projectId);
    table.items.delete(`${lock.pk}\n${lock.sk}`);
    const running = backupKey.running(tenant, backup.id);
    table.items.delete(`${running.pk}\n${running.sk}`);
    waiting.push({
      body: JSON.stringify(messageOf({ kind: 'schedule-outcome', scheduleId: backup.scheduleId ?? '', backupId: backup.id })),
      dueMs: nowMs,
    });
    await drain();
  };

  const lastBackup = (): BackupRecord => {
    const last = backups()
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .at(-1);
    if (!last) throw new Error('there is no backup');
    return last;
  };

  return {
    table,
    entries,
    senders,
    clock,
    at,
    pass,
    scheduler,
    userId,
    tenant,
    projectId,
    destinationId,
    start,
    organizationOf,
    projectOf,
    caller,
    newWorld,
    setMachine,
    addSchedule,
    scheduleOf,
    backups,
    dueTimes,
    events,
    eventSummaries,
    perform,
    messageOf,
    tickAt,
    watch,
    drain,
    end,
    lastBackup,
    get waiting() {
      return waiting;
    },
    get machine() {
      return machine;
    },
  };
};
