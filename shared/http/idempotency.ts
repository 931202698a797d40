/**
 * A call repeated with its Idempotency-Key gets the first answer again. The answer is stored in the transaction of the
 * change itself, so there is no moment at which the change is made and the answer not yet kept. It may hold a secret
 * that is shown once, so it is sealed.
 */
import { ApiError, invalid } from '../contract/errors.ts';
import { idempotencySeconds } from '../contract/limits.ts';
import {
  after,
  create,
  epochSeconds,
  fingerprint,
  type Item,
  type Key,
  seal,
  sign,
  unseal,
  type Write,
} from '../platform/index.ts';

export interface StoredResponse {
  readonly status: number;
  readonly body: string;
}

const purpose = 'stored answer';

/** Where the answer to this key is kept; the key is the actor's own, for this one address. */
export const responseKey = (
  header: string | undefined,
  actor: string,
  organization: string | undefined,
  route: string,
): Key | undefined => {
  if (header === undefined) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(header)) throw invalid('Idempotency-Key', 'must be 1 to 255 printable characters');
  return { pk: `ANSWER#${fingerprint(JSON.stringify([actor, organization ?? '', route, header]))}`, sk: 'ANSWER' };
};

/** Under our own key: a body may hold a secret that is short enough to be guessed from a bare digest. */
const digest = async (body: unknown): Promise<string> =>
  (await sign('digest of a body', JSON.stringify(body ?? null))).toString('base64url');

/** The answer stored under the key, unless it is too old; refuses a key that was used for another body. */
export const findStoredResponse = async (
  stored: Item | undefined,
  body: unknown,
  now: Date,
): Promise<StoredResponse | undefined> => {
  if (!stored || (stored.ttl as number) <= epochSeconds(now)) return undefined;
  if (stored.digest !== (await digest(body))) {
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another body');
  }
  const answer = await unseal(purpose, stored.pk, stored.answer as string);
  return answer === undefined ? undefined : (JSON.parse(answer) as StoredResponse);
};

/** The write that keeps the answer; it fails if another call with the same key got there first. */
export const storeResponse = async (key: Key, body: unknown, answer: StoredResponse, now: Date): Promise<Write> => ({
  ...create(
    {
      ...key,
      digest: await digest(body),
      answer: await seal(purpose, key.pk, JSON.stringify(answer)),
      ttl: epochSeconds(after(now, idempotencySeconds)),
    },
    () => new ApiError('CONFLICT', 'A call with this Idempotency-Key is still running'),
  ),
  // An answer past its day may still be in the table: the TTL only cleans up.
  condition: 'attribute_not_exists(pk) OR #ttl <= :now',
  names: { '#ttl': 'ttl' },
  values: { ':now': epochSeconds(now) },
});
