/** What a tenant's webhook heard: every delivery is verified as its owner would, and noted by its event and its subjects. */
import { Webhook } from 'standardwebhooks';
import type { Answer, ReceivedRequest } from '../harness/stage/receiver.ts';
import { type Histogram, makeHistogram } from './histogram.ts';

export interface Hearing {
  /** Ids of events that were taken with 200. */
  readonly events: ReadonlySet<string>;
  /** `type subject` of the same: ids within the data, and the organization's name. */
  readonly told: ReadonlySet<string>;
  /** From the change to its first delivery. */
  readonly lag: Histogram;
  /** Deliveries that came, and those that had been taken before. */
  readonly count: { came: number; again: number };
  /** Deliveries that were not signed right, or not this organization's. */
  readonly forged: readonly string[];
  take(heard: ReceivedRequest): Answer;
}

interface Told {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly organization: { readonly id: string; readonly name: string } };
  readonly metadata: { readonly attempt: number };
}

/** Of `failsOneOf` deliveries one finds the receiver down at its first attempt. */
export const openHearing = (organizationId: string, secret: () => string, failsOneOf: number): Hearing => {
  const events = new Set<string>();
  const told = new Set<string>();
  const lag = makeHistogram();
  const count = { came: 0, again: 0 };
  const forged: string[] = [];
  return {
    events,
    told,
    lag,
    count,
    forged,
    take: ({ body, headers, at }) => {
      const text = body.toString();
      const { id, type, timestamp, data, metadata } = JSON.parse(text) as Told;
      if (!isGenuine(secret(), text, headers as Record<string, string>) || data.organization.id !== organizationId)
        forged.push(id);
      count.came += 1;
      if (metadata.attempt === 1 && count.came % failsOneOf === 0) return { status: 500 };
      if (events.has(id)) count.again += 1;
      else lag.note(at - Date.parse(timestamp));
      events.add(id);
      for (const subject of [data.organization.name, ...idsIn(text)]) told.add(`${type} ${subject}`);
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
