/** How much of a project the audit reads next, so that everything is read again in time, and no more than its share a day. */
import { iso } from '../../platform/index.ts';

/** Documents of a step: read and compared within a minute or two. */
const stepDocumentsMax = 100_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** What is compared is as old as the last capture, so that a range read at the beginning of each round seems older than the round is long. */
const lagMs = hourMs;
/** After a base that read everything, nothing is due for so long. All of the parts that follow it are then read within `auditDays` of it. */
const freshHours = 12;
/** Where bases read everything each day, nothing is due before the next one is late. */
const freshHoursIfRead = 25;
/** After an outage, or a shorter `auditDays`, the audit catches up at this many times its usual rate. */
const catchUp = 2;

interface Pace {
  readonly auditDays: number;
  /** How many the project has. */
  readonly documents: number;
  /** When a base was last read from the source, so that all of its documents were. */
  readonly baseReadAt: Date;
  /** That base was read from the source, as the one before it was. */
  readonly isReadAgain: boolean;
  /** When the range was last read that comes next, in microseconds. */
  readonly nextAuditedAt: number;
  /** Of the current day. */
  readonly day: { readonly endsAt: Date; readonly documents: number };
  readonly now: Date;
}

interface Day {
  readonly dayEndsAt: string;
  readonly documentsToday: number;
}

type NextStep = { readonly limit: number; readonly day: Day } | { readonly dueAt: string };

/** A day has its share of the documents; it goes on where what follows would otherwise become older than `auditDays`. */
export const decideAuditStep = (pace: Pace): NextStep => {
  const { auditDays, documents, baseReadAt, isReadAgain, nextAuditedAt, day, now } = pace;
  const freshUntil = hoursAfter(baseReadAt, isReadAgain ? freshHoursIfRead : freshHours);
  if (now < freshUntil) return { dueAt: iso(freshUntil) };
  const isNewDay = now >= day.endsAt;
  const endsAt = isNewDay ? endOfDay(day.endsAt, { baseReadAt, now }) : day.endsAt;
  const spent = isNewDay ? 0 : day.documents;
  const share = Math.max(1, Math.ceil(documents / auditDays));
  const lastRead = Math.max(nextAuditedAt / 1_000, baseReadAt.getTime());
  const isOverdue = spent >= share && lastRead + auditDays * dayMs + lagMs < endsAt.getTime();
  const left = (isOverdue ? catchUp * share : share) - spent;
  if (left <= 0) return { dueAt: iso(endsAt) };
  return { limit: Math.min(left, stepDocumentsMax), day: { dayEndsAt: iso(endsAt), documentsToday: spent } };
};

/** Days follow each other without a drift. The first one, also after an outage, ends so many whole days after the base. */
const endOfDay = (before: Date, { baseReadAt, now }: Pick<Pace, 'baseReadAt' | 'now'>): Date => {
  const next = before.getTime() + dayMs;
  if (next > now.getTime()) return new Date(next);
  const daysSinceBase = Math.floor((now.getTime() - baseReadAt.getTime()) / dayMs);
  return new Date(baseReadAt.getTime() + (daysSinceBase + 1) * dayMs);
};

const hoursAfter = (moment: Date, hours: number): Date => new Date(moment.getTime() + hours * hourMs);
