import { type AttemptOutcome, errorOf } from '../../delivery/index.ts';
import type { PostOutcome } from '../../platform/index.ts';
import type { SentRequest } from '../model/record.ts';

const gone = 410;
/** Statuses whose Retry-After is honoured. */
const busy = [429, 503];

/** Only 200 to 299 counts as delivered. Redirects are not followed. `request` is stored with the delivery. */
export const classifyOutcome = (outcome: PostOutcome, timeoutMs: number, request: SentRequest): AttemptOutcome => {
  const statusCode = outcome.kind === 'answered' ? outcome.status : null;
  const kind = kindOf(statusCode);
  return {
    kind,
    error: kind === 'delivered' ? null : errorOf(outcome, timeoutMs),
    statusCode,
    durationMs: outcome.durationMs,
    retryAfter: outcome.kind === 'answered' && busy.includes(outcome.status) ? outcome.retryAfter : undefined,
    stored: { request },
  };
};

const kindOf = (statusCode: number | null): AttemptOutcome['kind'] => {
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) return 'delivered';
  return statusCode === gone ? 'gone' : 'retry';
};
