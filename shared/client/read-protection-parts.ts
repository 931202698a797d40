import type { ProtectionReport } from '../contract/models/protection-report.ts';
import { ApiFailure } from './failures.ts';
import { joinReports } from './join-reports.ts';
import type { Client } from './open-client.ts';

interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface Part {
  readonly from: string;
  readonly to: string;
}

interface PartsOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called before each part of a period that is too long for one request. */
  readonly onPart?: ((part: number, parts: number) => void) | undefined;
}

const dayMs = 24 * 3_600 * 1_000;

/**
 * The report of a period. One that is too long for a request is read in parts, as long as the service says, and joined: the service answers
 * each request completely or not at all.
 */
export const readProtectionParts = async (
  client: Client,
  period: Period,
  options: PartsOptions = {},
): Promise<ProtectionReport> => {
  const { signal } = options;
  const read = async (query: Period): Promise<ProtectionReport> =>
    (await client.request('GET /reports/protection', { query: { ...query, format: 'json' }, signal })) as ProtectionReport;
  return joinReports(await readInParts(read, period, options));
};

/** The answer for the whole period, or those for its parts, the newest first. */
export const readInParts = async <T>(
  read: (period: Period) => Promise<T>,
  period: Period,
  { onPart }: PartsOptions = {},
): Promise<readonly [T, ...T[]]> => {
  try {
    return [await read({ from: period.from, to: period.to })];
  } catch (error) {
    const parts = partsOf(error);
    const found: T[] = [];
    for (const [index, part] of parts.entries()) {
      onPart?.(index + 1, parts.length);
      found.push(...(await readInParts(read, part)));
    }
    const [newest, ...older] = found;
    if (newest === undefined) throw error;
    return [newest, ...older];
  }
};

/** The parts that a refusal asks for, the newest first, without a millisecond in common; none if it was refused for another reason. */
export const partsOf = (error: unknown): readonly Part[] => {
  const { maxDays, from, to } = error instanceof ApiFailure ? error.details : {};
  if (typeof maxDays !== 'number' || typeof from !== 'string' || typeof to !== 'string') return [];
  const start = Date.parse(from);
  const lengthMs = maxDays * dayMs;
  const parts: Part[] = [];
  for (let end = Date.parse(to); end >= start; end -= lengthMs)
    parts.push({ from: new Date(Math.max(start, end - lengthMs + 1)).toISOString(), to: new Date(end).toISOString() });
  return parts;
};
