// verify.ts
import { createHmac, timingSafeEqual } from 'node:crypto';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const matches = (given: Headers[string], secret: string, ...signed: (string | Uint8Array)[]): boolean => {
  if (!secret) throw new Error('no secret'); // anyone could sign with an empty one
  const hmac = createHmac('sha256', secret);
  for (const part of signed) hmac.update(part);
  const expected = Buffer.from(`sha256=${hmac.digest('hex')}`);
  const actual = Buffer.from(String(given ?? ''));
  return actual.length === expected.length && timingSafeEqual(actual, expected);
};

/** Format standard. During a rotation your secret may be the new or the previous one. */
export const verifyStandard = (secret: string, headers: Headers, body: Uint8Array, nowSeconds = Date.now() / 1000): boolean => {
  const timestamp = String(headers['x-service-timestamp']);
  if (!(Math.abs(nowSeconds - Number(timestamp)) <= 300)) return false; // also if it is not a number
  return ['x-service-signature', 'x-service-signature-previous'].some((name) =>
    matches(headers[name], secret, `${timestamp}.`, body),
  );
};

/** Format simple: the signature has no timestamp, so a recorded request can be replayed. Prefer standard. */
export const verifySimple = (secret: string, headers: Headers, body: Uint8Array): boolean =>
  ['x-webhook-signature', 'x-webhook-signature-previous'].some((name) => matches(headers[name], secret, body));
