/** RFC 4180 lines, safe against formula injection. */
import type { AuditLogEntry } from './record.ts';

const columns = {
  id: ({ id }) => id,
  timestamp: ({ timestamp }) => timestamp,
  action: ({ action }) => action,
  'actor.type': ({ actor }) => actor.type,
  'actor.id': ({ actor }) => actor.id,
  'actor.email': ({ actor }) => actor.email,
  'resource.type': ({ resource }) => resource.type,
  'resource.id': ({ resource }) => resource.id,
  'organization.id': ({ organization }) => organization.id,
  'context.ip': ({ context }) => context.ip,
  'context.userAgent': ({ context }) => context.userAgent,
  'context.location': ({ context }) => context.location,
  'context.requestId': ({ context }) => context.requestId,
  details: ({ details }) => JSON.stringify(details),
} as const satisfies Record<string, (entry: AuditLogEntry) => string | null>;

/**
 * Prefixes that a spreadsheet interprets as a formula or a separator (ASVS 1.2.10, WSTG-INPV-21): = + - @, their full-width forms,
 * tab, line ends and NUL. A leading apostrophe makes the cell text.
 */
const formulaPrefix = /^[=+\-@\t\r\n\0\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Semicolons and tabs separate cells in some locales, so they are quoted, too. */
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

const cell = (text: string): string => {
  const safe = formulaPrefix.test(text) ? `'${text}` : text;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** A line of a CSV file. */
export const csvLineOf = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

export const csvHeader = csvLineOf(Object.keys(columns));
export const csvLine = (entry: AuditLogEntry): string => csvLineOf(Object.values(columns).map((column) => column(entry) ?? ''));
