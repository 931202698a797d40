/** How much of a project the audit reads next, so that everything is read again in time, and no more than its share a day. */
import { after, iso } from '../../platform/index.ts';

/** Documents of a step: read and compared within a minute or two. */
const stepDocumentsMax = 100_000;
const dayHours = 24;
/** Bases that read everything are made once a day: after such a base nothing is due before the next one is late. */
const freshHours = 25;
/** After an outage, or a shorter `auditDays`, the audit catches up at this many times its usual rate. */
const catchUp = 2;

interface Pace {
  readonly auditDays: number;
  /** How many the project has. */
  readonly documents: number;
  /** When a base was last read from the source, so that all of its documents were. */
  readonly baseReadAt: Date;
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

/** A day has its share of the documents; it goes on where a range would otherwise become older than `auditDays`. */
export const decideAuditStep = (pace: Pace): NextStep => {
  const { auditDays, documents, baseReadAt, nextAuditedAt, day, now } = pace;
  const freshUntil = hoursAfter(baseReadAt, freshHours);
  if (now < freshUntil) return { dueAt: iso(freshUntil) };
  const isNewDay = now >= day.endsAt;
  const endsAt = isNewDay ? endOfDay(day.endsAt, now) : day.endsAt;
  const spent = isNewDay ? 0 : day.documents;
  const share = Math.max(1, Math.ceil(documents / auditDays));
  const lastRead = Math.max(nextAuditedAt / 1_000, baseReadAt.getTime());
  const isOverdue = lastRead + auditDays * dayHours * 3_600_000 < endsAt.getTime();
  const left = (isOverdue ? catchUp * share : share) - spent;
  if (left <= 0) return { dueAt: iso(endsAt) };
  return { limit: Math.min(left, stepDocumentsMax), day: { dayEndsAt: iso(endsAt), documentsToday: spent } };
};

/** Days follow each other without a drift, unless the audit could not run for a while. */
const endOfDay = (before: Date, now: Date): Date => {
  const next = hoursAfter(before, dayHours);
  return next > now ? next : hoursAfter(now, dayHours);
};

const hoursAfter = (moment: Date, hours: number): Date => after(moment, hours * 3_600);
