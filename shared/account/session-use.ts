import type { Origin } from '../audit/index.ts';
import { iso, note } from '../platform/index.ts';
import { accountKey, type SessionRecord, type SessionUseRecord } from './record.ts';

type Use = Pick<SessionUseRecord, 'at' | 'ip' | 'location' | 'userAgent'> & { readonly ttl: number };

/** The attributes of a use. The item expires with its session. */
export const sessionUse = (
  { endsAt }: Pick<SessionRecord, 'endsAt'>,
  { ip, location = null, userAgent }: Origin,
  now: Date,
): Use => ({ at: iso(now), ip, location, userAgent, ttl: endsAt });

/** One write a minute and session. */
const useSeconds = 60;

export const isUseDue = (last: SessionUseRecord | undefined, now: Date): boolean =>
  last === undefined || now.getTime() - Date.parse(last.at) >= useSeconds * 1_000;

export const noteSessionUse = (
  session: Pick<SessionRecord, 'id' | 'userId' | 'endsAt'>,
  origin: Origin,
  now: Date,
): Promise<void> => note(accountKey.sessionUse(session.userId, session.id), sessionUse(session, origin, now));
