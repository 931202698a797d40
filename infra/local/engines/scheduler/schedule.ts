/** A stored schedule and its next due time. */
import { crc32 } from 'node:zlib';
import { AwsError, type Json } from '../../base/aws-service.ts';
import { type Expression, parseExpression } from './expression.ts';
import { checkTarget, type Target } from './invoke-target.ts';

export interface ScheduleRecord {
  readonly name: string;
  readonly group: string;
  readonly arn: string;
  readonly expression: string;
  readonly timezone: string;
  readonly state: 'ENABLED' | 'DISABLED';
  readonly target: Target;
  /** Attributes that are only stored and returned: description, window. */
  readonly given: Json;
  readonly startAtMs?: number;
  readonly endAtMs?: number;
  readonly deleteAfterCompletion: boolean;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
  /** The latest tick that was delivered or given up. */
  readonly tickedAtMs?: number;
  readonly clientToken?: string;
  /** Created by the template and removed with it. */
  readonly declared: boolean;
}

export const scheduleOf = (
  input: Json,
  { arn, nowMs, declared }: { readonly arn: string; readonly nowMs: number; readonly declared: boolean },
): ScheduleRecord => {
  const name = String(input.Name);
  if (!/^[0-9a-zA-Z-_.]{1,64}$/.test(name)) throw new AwsError('ValidationException', `Invalid schedule name ${name}`);
  const timezone = String(input.ScheduleExpressionTimezone ?? 'UTC');
  const expression = String(input.ScheduleExpression);
  parseExpression(expression, timezone);
  const { FlexibleTimeWindow: window, Description: description } = input;
  if (!window) throw new AwsError('ValidationException', 'FlexibleTimeWindow is required');
  return {
    name,
    group: String(input.GroupName ?? 'default'),
    arn,
    expression,
    timezone,
    state: input.State === 'DISABLED' ? 'DISABLED' : 'ENABLED',
    target: checkTarget(input.Target),
    given: { FlexibleTimeWindow: window, ...(description !== undefined && { Description: description }) },
    ...(input.StartDate !== undefined && { startAtMs: momentMs(input.StartDate) }),
    ...(input.EndDate !== undefined && { endAtMs: momentMs(input.EndDate) }),
    deleteAfterCompletion: input.ActionAfterCompletion === 'DELETE',
    createdAtMs: nowMs,
    changedAtMs: nowMs,
    ...(typeof input.ClientToken === 'string' && { clientToken: input.ClientToken }),
    declared,
  };
};

/** The schedule described by the template. If unchanged, it continues from its last tick. */
export const declaredSchedule = (known: ScheduleRecord | undefined, input: Json, arn: string): ScheduleRecord => {
  // Gives the functions one second to start.
  const fresh = scheduleOf(input, { arn, nowMs: Date.now() + 1_000, declared: true });
  if (!known) return fresh;
  const { createdAtMs, changedAtMs, tickedAtMs } = known;
  const kept = { ...fresh, createdAtMs, changedAtMs, ...(tickedAtMs !== undefined && { tickedAtMs }) };
  const same = JSON.stringify({ ...known, clientToken: undefined }) === JSON.stringify({ ...kept, clientToken: undefined });
  return same ? known : { ...fresh, createdAtMs };
};

/** SDKs send epoch seconds, templates ISO 8601. */
const momentMs = (value: unknown): number => (typeof value === 'number' ? value * 1_000 : Date.parse(String(value)));

/**
 * The next tick and its due time on the real clock: since its last change a schedule runs `scale` times faster.
 * A missed one-time tick is due at once; missed recurring ticks are skipped.
 */
export const nextTick = (schedule: ScheduleRecord, nowMs: number, scale: number): { tick: Date; dueMs: number } | undefined => {
  const { changedAtMs: originMs, startAtMs, endAtMs, tickedAtMs } = schedule;
  const expression: Expression = parseExpression(schedule.expression, schedule.timezone);
  if (expression.once && tickedAtMs !== undefined) return undefined;
  const virtualMs = originMs + (nowMs - originMs) * scale;
  const missedMs = expression.once ? 0 : virtualMs - lateMaxMs * scale;
  // One millisecond earlier, so that a tick exactly at the start counts.
  const afterMs = Math.max(tickedAtMs ?? originMs - 1, missedMs, (startAtMs ?? 0) - 1);
  const tick = expression.next(new Date(afterMs), new Date(startAtMs ?? originMs));
  if (!tick || (endAtMs !== undefined && tick.getTime() > endAtMs)) return undefined;
  return { tick, dueMs: originMs + (tick.getTime() + spreadMs(schedule) - originMs) / scale };
};

/** A schedule with a flexible window runs at a moment of it that AWS chooses; here always the same one. */
const spreadMs = ({ name, given }: ScheduleRecord): number => {
  const { Mode: mode, MaximumWindowInMinutes: minutes = 0 } = given.FlexibleTimeWindow as Json;
  return mode === 'FLEXIBLE' ? (crc32(name) / 2 ** 32) * Number(minutes) * 60_000 : 0;
};

/** A tick up to a minute late is not missed: the Scheduler guarantees no more. */
const lateMaxMs = 60_000;

export const describe = (schedule: ScheduleRecord): Json => ({
  ...schedule.given,
  Arn: schedule.arn,
  Name: schedule.name,
  GroupName: schedule.group,
  ScheduleExpression: schedule.expression,
  ScheduleExpressionTimezone: schedule.timezone,
  State: schedule.state,
  Target: schedule.target,
  ActionAfterCompletion: schedule.deleteAfterCompletion ? 'DELETE' : 'NONE',
  CreationDate: schedule.createdAtMs / 1_000,
  LastModificationDate: schedule.changedAtMs / 1_000,
  ...(schedule.startAtMs !== undefined && { StartDate: schedule.startAtMs / 1_000 }),
  ...(schedule.endAtMs !== undefined && { EndDate: schedule.endAtMs / 1_000 }),
});
