/** Events that a tenant's webhook received. Every delivery is verified as a customer would. */
import { Webhook } from 'standardwebhooks';
import type { Answer, ReceivedRequest } from '../harness/stage/receiver.ts';
import { type Histogram, makeHistogram } from './histogram.ts';

export interface ReceivedEvents {
  /** Ids of events that were answered with 200. */
  readonly events: ReadonlySet<string>;
  /** `type subject` of these events; subjects are the ids in the data and the organization's name. */
  readonly subjects: ReadonlySet<string>;
  /** Time from the change to its first delivery. */
  readonly lag: Histogram;
  /** All deliveries, and those of events that had been received before. */
  readonly count: { all: number; repeated: number };
  /** Deliveries with a wrong signature or of another organization. */
  readonly forged: readonly string[];
  take(request: ReceivedRequest): Answer;
}

interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly organization: { readonly id: string; readonly name: string } };
  readonly metadata: { readonly attempt: number };
}

/** One of `failsOneOf` deliveries fails at its first attempt. */
export const recordEvents = (organizationId: string, secret: () => string, failsOneOf: number): ReceivedEvents => {
  const events = new Set<string>();
  const subjects = new Set<string>();
  const lag = makeHistogram();
  const count = { all: 0, repeated: 0 };
  const forged: string[] = [];
  return {
    events,
    subjects,
    lag,
    count,
    forged,
    take: ({ body, headers, at }) => {
      const text = body.toString();
      const { id, type, timestamp, data, metadata } = JSON.parse(text) as EventBody;
      if (!isGenuine(secret(), text, headers as Record<string, string>) || data.organization.id !== organizationId)
        forged.push(id);
      count.all += 1;
      if (metadata.attempt === 1 && count.all % failsOneOf === 0) return { status: 500 };
      if (events.has(id)) count.repeated += 1;
      else lag.note(at - Date.parse(timestamp));
      events.add(id);
      for (const subject of [data.organization.name, ...idsIn(text)]) subjects.add(`${type} ${subject}`);
      return { status: 200 };
    },
  };
};

const isGenuine = (secret: string, text: string, headers: Record<string, string>): boolean => {
  try {
    new Webhook(secret).verify(text, headers);
    return true;
  } catch {
    return false;
  }
};

const idsIn = (text: string): Iterable<string> => new Set(text.match(/\b[a-z]{2,3}_[0-9A-HJKMNP-TV-Z]{26}\b/g));
