/** Numbers and times for people. */
export const formatCount = (count: number): string => count.toLocaleString('en');

/** `2,000 documents`, `1 document`. */
export const formatCounted = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

const namesMax = 20;

/** The first names: `users, orders and 3 more`. */
export const formatNames = (names: readonly string[], count = names.length): string => {
  const shown = names.slice(0, namesMax);
  return `${shown.join(', ')}${count > shown.length ? ` and ${formatCount(count - shown.length)} more` : ''}`;
};

export const formatDuration = (ms: number): string => {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 1) return `${Math.max(0, Math.round(ms))} ms`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
};

/** UTC to the second: `2026-11-16 11:20:00Z`. */
export const formatTime = (moment: string | null | undefined): string | undefined =>
  moment ? `${moment.slice(0, 10)} ${moment.slice(11, 19)}Z` : undefined;

/** UTC to the minute, for tables: `2026-11-16 11:20`. */
export const formatMinute = (moment: string | null | undefined): string | undefined =>
  moment ? `${moment.slice(0, 10)} ${moment.slice(11, 16)}` : undefined;

/** `3 h ago`, `in 5 min`. */
export const formatRelative = (moment: string, nowMs: number): string => {
  const ms = Date.parse(moment) - nowMs;
  const [, number = '0', unit = 's'] = /^(\d+) (\w+)/.exec(formatDuration(Math.abs(ms))) ?? [];
  if (Math.abs(ms) < 1_000) return 'now';
  return ms < 0 ? `${number} ${unit} ago` : `in ${number} ${unit}`;
};

/** A text as one word of a command that a person may copy. */
export const shellWord = (text: string): string => (/^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
