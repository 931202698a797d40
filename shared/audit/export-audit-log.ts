/** Exports a time range as one file: completely, or not at all. */
import { ApiError } from '../contract/errors.ts';
import type { Tenant } from '../platform/index.ts';
import type { Filter } from './audit-filter.ts';
import { csvHeader, csvLine } from './csv.ts';
import { readEntries } from './list-audit-log.ts';
import type { AuditLogEntry } from './record.ts';

/** A Lambda response is at most 6 MB of JSON; everything but the body takes less than 1 MB. */
const answerMaxBytes = 5 * 1_024 * 1_024;
/** A read takes about 20 ms, so this many finish well before the function times out. */
const readsMax = 200;

export type Format = 'csv' | 'json';

const writers: Readonly<
  Record<Format, { head: string; line: (entry: AuditLogEntry, isFirst: boolean) => string; tail: string }>
> = {
  csv: { head: csvHeader, line: csvLine, tail: '' },
  json: { head: '[', line: (entry, isFirst) => `${isFirst ? '' : ','}\n${JSON.stringify(entry)}`, tail: '\n]\n' },
};

export const exportEntries = async (
  tenant: Tenant,
  { format, ...filter }: Filter & { readonly format: Format },
  now: Date,
): Promise<string> => {
  const { head, line, tail } = writers[format];
  const lines: string[] = [];
  let bytes = 0;
  let reads = 0;
  let oldest: string | undefined;
  for await (const entries of readEntries(tenant, filter, now)) {
    for (const entry of entries) {
      const text = line(entry, lines.length === 0);
      // Lambda returns the body as a JSON string, in which a quote takes two bytes.
      bytes += Buffer.byteLength(JSON.stringify(text));
      if (bytes > answerMaxBytes) throw tooMuch(oldest);
      lines.push(text);
      oldest = entry.timestamp;
    }
    reads += 1;
    if (reads > readsMax) throw tooMuch(oldest);
  }
  return head + lines.join('') + tail;
};

const tooMuch = (oldest: string | undefined): ApiError => {
  const hint = oldest ? `from=${oldest} fits; then request the time before it with to` : 'use a later from or an earlier to';
  return new ApiError('VALIDATION_ERROR', `The range is too large for one file. Narrow from and to: ${hint}`, {
    field: 'from',
    reason: 'the range is too large for one file',
    ...(oldest && { fitsFrom: oldest }),
  });
};
