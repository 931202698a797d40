/** Limits the messages of an alert in an hour, so that an outage of many projects is no storm. */
import { alertMessagesPerHour } from '../../contract/limits.ts';
import { count, epochSeconds, type Tenant } from '../../platform/index.ts';

const hourSeconds = 3_600;

/** The beginning of the hour, UTC, in epoch seconds. */
export const hourOf = (now: Date): number => {
  const seconds = epochSeconds(now);
  return seconds - (seconds % hourSeconds);
};

/** send: within the limit. announce: the first beyond it, which says that more are held. hold: all after that. */
export type Admission = 'send' | 'announce' | 'hold';

/** Counts a message that is about to be created. */
export const admitMessage = async ({ organizationId }: Tenant, alertId: string, now: Date): Promise<Admission> => {
  const hour = hourOf(now);
  const used = await count({ pk: `RATE#${organizationId}#${alertId}`, sk: String(hour) }, hour + 2 * hourSeconds);
  if (used <= alertMessagesPerHour) return 'send';
  return used === alertMessagesPerHour + 1 ? 'announce' : 'hold';
};
