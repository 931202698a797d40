import type { DataOf } from '../../../../../shared/client/index.ts';

export type Failure = DataOf<'GET /backups/restore/{restoreJobId}'>['failures'][number];

/** RFC 4180. A leading quote keeps spreadsheets from running a path that looks like a formula. */
export const failuresCsv = (failures: readonly Failure[]): string =>
  [['path', 'code', 'message'], ...failures.map(({ path, code, message }) => [path, code, message])]
    .map((row) => `${row.map(cellOf).join(',')}\r\n`)
    .join('');

const cellOf = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
