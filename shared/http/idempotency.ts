/**
 * A call repeated with the same Idempotency-Key gets the first response again. The response is stored in the transaction of the
 * change, so one never exists without the other. It is encrypted, because it may contain a secret that is shown once.
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

interface StoredResponse {
  readonly status: number;
  readonly body: string;
  readonly location?: string | undefined;
}

const purpose = 'stored answer';

/** The key of the stored response. An Idempotency-Key is scoped to the actor, the organization and the route. */
export const responseKey = (
  header: string | undefined,
  {
    actor,
    organization = '',
    route,
  }: { readonly actor: string; readonly organization: string | undefined; readonly route: string },
): Key | undefined => {
  if (header === undefined) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(header)) throw invalid('Idempotency-Key', 'must be 1 to 255 printable characters');
  return { pk: `ANSWER#${fingerprint(JSON.stringify([actor, organization, route, header]))}`, sk: 'ANSWER' };
};

/** Keyed: a short secret in the body could be guessed from a plain digest. */
const digest = async (body: unknown): Promise<string> =>
  (await sign('digest of a body', JSON.stringify(body ?? null))).toString('base64url');

/** Undefined if there is none or it has expired. Throws if the key was used with another body. */
export const findStoredResponse = async (
  stored: Item | undefined,
  body: unknown,
  now: Date,
): Promise<StoredResponse | undefined> => {
  if (!stored || (stored.ttl as number) <= epochSeconds(now)) return undefined;
  if (stored.digest !== (await digest(body))) {
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was already used with a different body');
  }
  const answer = await unseal(purpose, stored.pk, stored.answer as string);
  return answer === undefined ? undefined : (JSON.parse(answer) as StoredResponse);
};

/** The write fails if another call with the same key has committed first. */
export const storeResponse = async (
  { key, body, now }: { readonly key: Key; readonly body: unknown; readonly now: Date },
  answer: StoredResponse,
): Promise<Write> => ({
  ...create(
    {
      ...key,
      digest: await digest(body),
      answer: await seal(purpose, key.pk, JSON.stringify(answer)),
      ttl: epochSeconds(after(now, idempotencySeconds)),
    },
    () => new ApiError('CONFLICT', 'A call with this Idempotency-Key is still running'),
  ),
  // An expired response may still be in the table.
  condition: 'attribute_not_exists(pk) OR #ttl <= :now',
  names: { '#ttl': 'ttl' },
  values: { ':now': epochSeconds(now) },
});
