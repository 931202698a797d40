/** EventBridge Scheduler: schedules that survive a restart and start functions, queues and workflows. */
import { join } from 'node:path';
import { AwsError, type EngineOptions, type Json, makeEngine, type Need, type Operation, text } from '../../base/aws-service.ts';
import type { Resource } from '../../base/types.ts';
import { openAppendLog } from '../shared/append-log.ts';
import type { Routes } from '../shared/aws-protocols.ts';
import { setLongTimer } from '../shared/long-timer.ts';
import { deliver, type ScheduleTargets } from './invoke-target.ts';
import { declaredSchedule, describe, nextTick, type ScheduleRecord, scheduleOf } from './schedule.ts';

export const schedulerRoutes: Routes = {
  'POST /schedules/{Name}': 'CreateSchedule',
  'GET /schedules/{Name}': 'GetSchedule',
  'PUT /schedules/{Name}': 'UpdateSchedule',
  'DELETE /schedules/{Name}': 'DeleteSchedule',
  'GET /schedules': 'ListSchedules',
  'POST /schedule-groups/{Name}': 'CreateScheduleGroup',
};

interface SchedulerOptions extends EngineOptions {
  readonly delayScale: number;
  readonly targets: ScheduleTargets;
}

interface Group {
  readonly name: string;
  /** Created by the template. */
  readonly declared: boolean;
}

export const openScheduler = ({ dir, region, account, delayScale, targets }: SchedulerOptions) => {
  const schedules = openAppendLog<ScheduleRecord>(join(dir, 'scheduler', 'schedules.jsonl'));
  const groups = openAppendLog<Group>(join(dir, 'scheduler', 'groups.jsonl'));
  const alarms = new Map<string, () => void>();
  const stopping = new AbortController();
  const arnPrefix = `arn:aws:scheduler:${region}:${account}:`;
  const groupOf = (input: Json): string => String(input.GroupName ?? input.groupName ?? 'default');
  const keyOf = (input: Json): string => `${groupOf(input)}/${text(input, 'Name')}`;

  const disarm = (key: string): void => {
    alarms.get(key)?.();
    alarms.delete(key);
  };

  /** Sets the timer for the schedule's next tick. */
  const arm = (key: string): void => {
    disarm(key);
    const schedule = schedules.get(key);
    if (!schedule || schedule.state === 'DISABLED' || stopping.signal.aborted) return;
    const due = nextTick(schedule, Date.now(), delayScale);
    const cancel = due && setLongTimer(due.dueMs, () => void ring(key, schedule, due.tick));
    if (cancel) alarms.set(key, cancel);
    else if (schedule.deleteAfterCompletion) schedules.remove(key);
  };

  const ring = async (key: string, schedule: ScheduleRecord, tick: Date): Promise<void> => {
    const once = schedule.expression.startsWith('at(');
    const ticked = (): void => {
      const now = schedules.get(key);
      if (now?.changedAtMs === schedule.changedAtMs) schedules.set(key, { ...now, tickedAtMs: tick.getTime() });
      arm(key);
    };
    if (!once) ticked();
    try {
      const due = { scheduleArn: schedule.arn, scheduledAt: tick, target: schedule.target };
      await deliver(targets, { tick: due, delayScale, signal: stopping.signal });
    } catch {
      // The stage is stopping, or the dead-letter queue refused: as on AWS, nothing reports this.
    }
    // A one-time tick is recorded after its delivery, so a crash in between delivers it again.
    if (once && !stopping.signal.aborted) ticked();
  };

  const find = (input: Json): ScheduleRecord => {
    const schedule = schedules.get(keyOf(input));
    if (!schedule) throw new AwsError('ResourceNotFoundException', `Schedule ${text(input, 'Name')} does not exist.`, 404);
    return schedule;
  };

  const keep = (schedule: ScheduleRecord): Json => {
    const key = `${schedule.group}/${schedule.name}`;
    schedules.set(key, schedule);
    arm(key);
    return { ScheduleArn: schedule.arn };
  };

  const arnOf = (input: Json): string => `${arnPrefix}schedule/${keyOf(input)}`;

  const operations = {
    CreateSchedule: (input: Json) => {
      const known = schedules.get(keyOf(input));
      if (known?.clientToken !== undefined && known.clientToken === input.ClientToken) return { ScheduleArn: known.arn };
      if (known) throw new AwsError('ConflictException', `Schedule ${known.name} already exists.`, 409);
      const group = groupOf(input);
      if (group !== 'default' && !groups.get(group))
        throw new AwsError('ResourceNotFoundException', `Schedule group ${group} does not exist.`, 404);
      return keep(scheduleOf(input, { arn: arnOf(input), nowMs: Date.now(), declared: false }));
    },
    UpdateSchedule: (input: Json) => {
      const { createdAtMs, declared } = find(input);
      return keep({ ...scheduleOf(input, { arn: arnOf(input), nowMs: Date.now(), declared }), createdAtMs });
    },
    GetSchedule: (input: Json) => describe(find(input)),
    DeleteSchedule: (input: Json) => {
      find(input);
      disarm(keyOf(input));
      schedules.remove(keyOf(input));
    },
    ListSchedules: (input: Json) => list(schedules.values(), input),
    CreateScheduleGroup: (input: Json) => {
      const name = text(input, 'Name');
      if (groups.get(name) ?? name === 'default')
        throw new AwsError('ConflictException', `Schedule group ${name} already exists.`, 409);
      groups.set(name, { name, declared: false });
      return { ScheduleGroupArn: `${arnPrefix}schedule-group/${name}` };
    },
  };

  const needs = ({ action, input }: Operation): readonly Need[] => {
    if (action === 'ListSchedules') return [{ action: 'scheduler:ListSchedules', resources: ['*'] }];
    if (action === 'CreateScheduleGroup')
      return [{ action: `scheduler:${action}`, resources: [`${arnPrefix}schedule-group/${text(input, 'Name')}`] }];
    const { RoleArn: role } = (input.Target ?? {}) as { RoleArn?: string };
    const pass = {
      action: 'iam:PassRole',
      resources: [role ?? ''],
      keys: { 'iam:PassedToService': ['scheduler.amazonaws.com'] },
    };
    return [{ action: `scheduler:${action}`, resources: [arnOf(input)] }, ...(role === undefined ? [] : [pass])];
  };

  // Schedules of the template, and entries of its groups, wait until they are provisioned again: their targets run by then.
  for (const { group, name, declared } of schedules.values())
    if (!declared && !groups.get(group)?.declared) arm(`${group}/${name}`);

  const provisionGroup = (group: string): void => {
    groups.set(group, { name: group, declared: true });
    for (const schedule of schedules.values())
      if (schedule.group === group && !schedule.declared) arm(`${group}/${schedule.name}`);
  };

  return {
    ...makeEngine(operations, needs),
    provision: ({ type, name, properties }: Resource): void => {
      if (type === 'AWS::Scheduler::ScheduleGroup') provisionGroup(name);
      else {
        const input = { ...properties, Name: name };
        keep(declaredSchedule(schedules.get(keyOf(input)), input, arnOf(input)));
      }
    },
    stop: (): void => {
      stopping.abort();
      for (const key of alarms.keys()) disarm(key);
    },
  };
};

const list = (all: readonly ScheduleRecord[], input: Json): Json => {
  const from = Number(input.NextToken ?? 0);
  const limit = Number(input.MaxResults ?? 100);
  const chosen = all.filter(
    ({ group, name, state }) =>
      (input.ScheduleGroup ?? group) === group &&
      name.startsWith(String(input.NamePrefix ?? '')) &&
      (input.State ?? state) === state,
  );
  return {
    Schedules: chosen.slice(from, from + limit).map((schedule) => {
      const { Arn, Name, GroupName, State, CreationDate, LastModificationDate } = describe(schedule);
      return { Arn, Name, GroupName, State, CreationDate, LastModificationDate, Target: { Arn: schedule.target.Arn } };
    }),
    ...(chosen.length > from + limit && { NextToken: String(from + limit) }),
  };
};
