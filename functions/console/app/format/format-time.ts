const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const second = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const utc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
// Numbers, not words such as tomorrow or next month: which day a moment falls on depends on more than its distance.
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'always', style: 'long' });

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** In the person's time zone. */
export const formatMoment = (at: Date): string => date.format(at);

/** A day without a time, such as 2026-05-01: the same in every time zone. */
export const formatDay = (isoDay: string): string => day.format(new Date(isoDay));

/** To the second, in the person's time zone. */
export const formatSecond = (at: Date): string => second.format(at);

/** The person's time zone, such as Europe/Berlin. */
export const ownTimeZone = (): string => date.resolvedOptions().timeZone;

export const formatUtc = (at: Date): string => `${utc.format(at)} UTC`;

/** `3 hours ago`, `in 5 minutes`; moments within 45 seconds are `just now`. */
export const formatRelative = (at: Date, now: Date): string => {
  const ms = at.getTime() - now.getTime();
  const size = Math.abs(ms);
  if (size < 45 * secondMs) return ms <= 0 ? 'just now' : 'in a moment';
  if (size < 55 * minuteMs) return relative.format(Math.round(ms / minuteMs), 'minute');
  if (size < 48 * hourMs) return relative.format(Math.round(ms / hourMs), 'hour');
  if (size < 26 * dayMs) return relative.format(Math.round(ms / dayMs), 'day');
  if (size < 320 * dayMs) return relative.format(Math.round(ms / (30 * dayMs)), 'month');
  return relative.format(Math.round(ms / (365 * dayMs)), 'year');
};

/** 3_725_000 → `1 h 2 min`; below a minute in seconds, below a second in milliseconds. */
export const formatDuration = (ms: number): string => {
  if (ms < secondMs) return `${Math.round(ms)} ms`;
  if (ms < 10 * secondMs) return `${Number((ms / secondMs).toFixed(1))} s`;
  if (ms < minuteMs) return `${Math.round(ms / secondMs)} s`;
  const parts = [
    [Math.floor(ms / dayMs), 'd'],
    [Math.floor((ms % dayMs) / hourMs), 'h'],
    [Math.floor((ms % hourMs) / minuteMs), 'min'],
    [Math.floor((ms % minuteMs) / secondMs), 's'],
  ] as const;
  return parts
    .filter(([value]) => value > 0)
    .slice(0, 2)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ');
};
