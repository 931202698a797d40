/** The three kinds of schedule expression: at(), rate() and cron(). */
import { Cron } from 'croner';
import { AwsError } from '../../base/aws-service.ts';

export interface Expression {
  /** Has a single tick. */
  readonly once: boolean;
  /** The first tick after a moment. Ticks of rate() are counted from `origin`, which is itself one. */
  next(after: Date, origin: Date): Date | undefined;
}

export const parseExpression = (text: string, timezone: string): Expression => {
  const [, kind = '', body = ''] = /^(at|rate|cron)\((.*)\)$/.exec(text) ?? [];
  try {
    // Throws for an unknown time zone.
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    const expression = kinds[kind]?.(body, timezone);
    if (expression) return expression;
  } catch {
    // The expression is invalid.
  }
  throw new AwsError('ValidationException', `Invalid Schedule Expression ${text} in time zone ${timezone}.`);
};

const minuteMs = 60_000;
const unitsMs: Readonly<Record<string, number>> = { minute: minuteMs, hour: 60 * minuteMs, day: 1_440 * minuteMs };

const kinds: Readonly<Record<string, (body: string, timezone: string) => Expression | undefined>> = {
  at: (body, timezone) => {
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(body)) return undefined;
    const moment = new Cron(body, { timezone }).nextRun(new Date(0));
    return moment ? { once: true, next: () => moment } : undefined;
  },
  rate: (body) => {
    const [, count, unit = ''] = /^([1-9]\d*) (minute|hour|day)s?$/.exec(body) ?? [];
    const everyMs = Number(count) * (unitsMs[unit] ?? Number.NaN);
    if (Number.isNaN(everyMs)) return undefined;
    const next = (after: Date, origin: Date): Date => {
      const passed = Math.floor((after.getTime() - origin.getTime()) / everyMs);
      return new Date(origin.getTime() + Math.max(passed + 1, 0) * everyMs);
    };
    return { once: false, next };
  },
  cron: (body, timezone) => {
    const fields = body.trim().split(/\s+/);
    // Exactly one of day-of-month and day-of-week must be `?`.
    if (fields.length !== 6 || (fields[2] === '?') === (fields[4] === '?')) return undefined;
    const pattern = `0 ${fields.join(' ').replaceAll('?', '*')}`;
    // In AWS weekdays are 1 to 7, starting on Sunday.
    const cron = new Cron(pattern, { timezone, mode: '7-part', alternativeWeekdays: true, sloppyRanges: true });
    const next = (after: Date): Date | undefined => {
      let tick = cron.nextRun(after);
      // Times skipped by daylight saving are skipped, not moved.
      while (tick && !cron.match(tick)) tick = cron.nextRun(tick);
      return tick ?? undefined;
    };
    return { once: false, next };
  },
};
