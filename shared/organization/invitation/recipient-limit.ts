/** Limits e-mails to addresses that may belong to anybody: invitations, and messages of alerts to outsiders. */
import { ApiError } from '../../contract/errors.ts';
import {
  alertMailsOfOwner,
  alertMailsPerOutsider,
  alertMailsToOutsiders,
  invitationsPerRecipient,
  invitationsPerRecipientInAll,
} from '../../contract/limits.ts';
import { count, epochSeconds, fingerprint, type Key, update, type Write } from '../../platform/index.ts';
import type { CallerContext } from '../model/caller-context.ts';
import type { OrganizationRecord } from '../model/record.ts';

const daySeconds = 24 * 3_600;

/**
 * Counts an invitation in its transaction, which fails with RATE_LIMITED beyond the daily limit of the organization, or of the caller
 * across all their organizations. What other callers send does not count here, so the response says nothing about other tenants.
 */
export const countRecipient = (
  { tenant: { organizationId }, actor }: Pick<CallerContext, 'tenant' | 'actor'>,
  email: string,
  now: Date,
): readonly Write[] =>
  [organizationId, actor.id].map((sender) => {
    const { key, ttl } = dayCounter(`RATE#${sender}#invitations#${recipient(email)}`, now);
    const write = update(key, { set: { ttl }, add: { count: 1 }, onConditionFailed: () => tooManyInvitations(now) });
    return {
      ...write,
      condition: 'attribute_not_exists(pk) OR #count < :max',
      values: { ...write.values, ':max': invitationsPerRecipient },
    };
  });

const tooManyInvitations = (now: Date): ApiError => {
  const retryAfterSeconds = daySeconds - (epochSeconds(now) % daySeconds);
  return new ApiError(
    'RATE_LIMITED',
    `At most ${invitationsPerRecipient} invitation e-mails a day can be sent to one address`,
    { field: 'email', limit: invitationsPerRecipient, retryAfterSeconds },
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  );
};

/** Counts an e-mail that is about to be sent. False beyond the daily limit of all organizations together; callers are not told. */
export const isWithinRecipientLimit = async (email: string, now: Date): Promise<boolean> =>
  (await countToday('RATE#invitations', email, now)) <= invitationsPerRecipientInAll;

/**
 * Counts a message of an alert to an address outside the organization. Limits are those of the organization and its owner: others
 * cannot use up the messages of an address and so silence its alerts. Only tests, which need no incident, are limited across
 * organizations.
 */
export const isWithinAlertLimit = async (
  { id, ownerId }: Pick<OrganizationRecord, 'id' | 'ownerId'>,
  { email, isTest }: { readonly email: string; readonly isTest: boolean },
  now: Date,
): Promise<boolean> =>
  (await countToday(`RATE#${id}#alerts`, email, now)) <= alertMailsPerOutsider &&
  (!isTest || (await countToday('RATE#alerts', email, now)) <= alertMailsPerOutsider) &&
  (await countDay(`RATE#${id}#alerts`, now)) <= alertMailsToOutsiders &&
  (await countDay(`RATE#${ownerId}#alerts`, now)) <= alertMailsOfOwner;

const countToday = (scope: string, email: string, now: Date): Promise<number> => countDay(`${scope}#${recipient(email)}`, now);

const recipient = (email: string): string => fingerprint(email.toLowerCase());

const countDay = (pk: string, now: Date): Promise<number> => {
  const { key, ttl } = dayCounter(pk, now);
  return count(key, ttl);
};

const dayCounter = (pk: string, now: Date): { key: Key; ttl: number } => {
  const seconds = epochSeconds(now);
  const day = seconds - (seconds % daySeconds);
  return { key: { pk, sk: String(day) }, ttl: day + 2 * daySeconds };
};
