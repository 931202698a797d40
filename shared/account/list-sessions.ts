import type * as z from 'zod/mini';
import type { SignInSession } from '../contract/endpoints/auth.ts';
import { refreshTokenSeconds } from '../contract/limits.ts';
import { countryOfAddress, getAll, query, takePage } from '../platform/index.ts';
import { describeUserAgent } from './describe-user-agent.ts';
import { accountKey, type SessionRecord, type SessionUseRecord, sessionUsePartition } from './record.ts';
import { isOver } from './session.ts';

interface OpenSession {
  readonly sk: string;
  readonly session: SessionRecord;
  readonly use: SessionUseRecord;
}

/** One page of the sessions with which the person is signed in, newest first. */
export const listSessions = (
  userId: string,
  page: { readonly limit: number; readonly after: string | undefined },
  now: Date,
): Promise<{ items: readonly OpenSession[]; next: string | undefined }> =>
  takePage(openSessions(userId, now, page.after), page.limit);

/** The sessions of the person that can still be used. */
export async function* openSessions(userId: string, now: Date, start?: string): AsyncGenerator<OpenSession> {
  let after = start;
  do {
    const range = { pk: sessionUsePartition(userId), prefix: 'ses_', newestFirst: true, after, limit: batchSize };
    const { items, next } = await query<SessionUseRecord>(range);
    const [revoked, ...sessions] = await getAll([
      accountKey.revokedSessions(userId),
      ...items.map(({ sk }) => accountKey.session(sk)),
    ]);
    for (const [n, use] of items.entries()) {
      const session = sessions[n] as SessionRecord | undefined;
      if (session?.userId === userId && !isOver(session, revoked, now) && !isAbandoned(use, now))
        yield { sk: use.sk, session, use };
    }
    after = next;
  } while (after !== undefined);
}

const batchSize = 50;

/** Its refresh token, which is at most as old as the last use, has expired. */
const isAbandoned = ({ at }: SessionUseRecord, now: Date): boolean =>
  now.getTime() - Date.parse(at) > refreshTokenSeconds * 1_000;

/** A session as its person sees it. */
export const sessionData = async ({ session, use }: OpenSession, currentId: string): Promise<z.input<typeof SignInSession>> => ({
  id: session.id,
  kind: kindOf(session),
  name: session.name ?? describeUserAgent(use.userAgent),
  createdAt: session.createdAt,
  lastUsedAt: use.at,
  address: use.ip,
  country: use.location?.slice(0, 2) ?? (await countryOfAddress(use.ip)),
  current: session.id === currentId,
});

/** A session of a version that kept no kind is one of the console only if it is marked so. */
const kindOf = ({ kind, isBrowser }: SessionRecord) => kind ?? (isBrowser ? 'console' : 'application');
