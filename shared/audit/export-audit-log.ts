/** The log of a range as one file. It is whole or it is refused: nothing is left out silently. */
import { ApiError } from '../contract/errors.ts';
import type { Tenant } from '../platform/index.ts';
import type { Filter } from './audit-filter.ts';
import { csvHeader, csvLine } from './csv.ts';
import { type Entry, readEntries } from './list-audit-log.ts';

/** Lambda answers with at most 6 MB, the answer written as JSON; the rest of it takes well under 1 MB. */
const answerMaxBytes = 5 * 1_024 * 1_024;
/** A read is up to 1 MB of the log and takes some 20 ms: this many end well before the function's time does. */
const readsMax = 200;

export type Format = 'csv' | 'json';

const writers: Readonly<Record<Format, { head: string; line: (entry: Entry, isFirst: boolean) => string; tail: string }>> = {
  csv: { head: csvHeader, line: csvLine, tail: '' },
  json: { head: '[', line: (entry, isFirst) => `${isFirst ? '' : ','}\n${JSON.stringify(entry)}`, tail: '\n]\n' },
};

export const exportEntries = async (tenant: Tenant, filter: Filter, format: Format, now: Date): Promise<string> => {
  const { head, line, tail } = writers[format];
  const lines: string[] = [];
  let bytes = 0;
  let reads = 0;
  let oldest: string | undefined;
  for await (const entries of readEntries(tenant, filter, now)) {
    for (const entry of entries) {
      const text = line(entry, lines.length === 0);
      // As JSON, because that is how Lambda hands it over: every quote in it becomes two bytes.
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
  const hint = oldest ? `from=${oldest} fits; then ask for the time before it with to` : 'name a later from, or an earlier to';
  return new ApiError('VALIDATION_ERROR', `The range holds more than one file can carry; narrow from and to: ${hint}`, {
    field: 'from',
    reason: 'the range holds more than one file can carry',
    ...(oldest && { fitsFrom: oldest }),
  });
};
