import { after } from '../../platform/index.ts';
import type { RunRecord } from './record.ts';

/** Whether the time has passed in which a check must give its result. */
export const isOverdue = (
  { requestedAt, timeoutSeconds }: Pick<NonNullable<RunRecord['check']>, 'requestedAt' | 'timeoutSeconds'>,
  now: Date,
): boolean => requestedAt === null || now >= after(new Date(requestedAt), timeoutSeconds);
