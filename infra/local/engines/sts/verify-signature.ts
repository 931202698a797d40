/** Verifies the Signature Version 4 of a GetCallerIdentity request that was signed by one party and is sent by another, as AWS does. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { AwsError } from '../../base/aws-service.ts';

/** A request with its headers by lower-case name. */
export interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface SessionKey {
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiresAtMs: number;
}

/** AWS accepts a request for 15 minutes. */
const skewMs = 15 * 60_000;

/** Throws the error of AWS unless the request was signed with the key. */
export const verifySignature = (
  request: SignedRequest,
  keyOf: (accessKeyId: string) => SessionKey | undefined,
  now: Date,
): void => {
  const { method, headers } = request;
  const url = new URL(request.url);
  const { authorization = '', 'x-amz-date': stamp = '', 'x-amz-security-token': token } = headers;
  const [, accessKeyId = '', scope = '', signedHeaders = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), *SignedHeaders=(\S+), *Signature=([0-9a-f]{64})$/.exec(authorization) ?? [];
  if (signature === '') throw new AwsError('IncompleteSignature', 'The Authorization header is not a Signature Version 4', 400);
  const key = keyOf(accessKeyId);
  if (!key || key.sessionToken !== token)
    throw new AwsError('InvalidClientTokenId', 'The security token included in the request is invalid', 403);
  if (key.expiresAtMs < now.getTime())
    throw new AwsError('ExpiredToken', 'The security token included in the request is expired', 403);
  const [date = '', region = '', service, kind] = scope.split('/');
  if (service !== 'sts' || kind !== 'aws4_request' || url.hostname !== `sts.${region}.amazonaws.com` || !stamp.startsWith(date))
    throw mismatch('Credential should be scoped to the region, the service and the date of the request');
  const names = signedHeaders.split(';');
  for (const required of ['host', 'x-amz-date', 'x-amz-security-token'])
    if (!names.includes(required)) throw mismatch(`${required} is not signed`);
  if (headers.host !== url.host) throw mismatch('the host header is not that of the URL');
  checkDate(stamp, now);
  const canonical = [
    method,
    url.pathname,
    [...url.searchParams]
      .map((pair) => pair.map(encodeURIComponent).join('='))
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}`),
    '',
    signedHeaders,
    digest(''),
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', stamp, scope, digest(canonical)].join('\n');
  const signingKey = [date, region, 'sts', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${key.secretAccessKey}`);
  if (!timingSafeEqual(hmac(signingKey, text), Buffer.from(signature, 'hex'))) throw mismatch('the signature does not match');
};

const checkDate = (stamp: string, now: Date): void => {
  const signedMs = Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const ageMs = now.getTime() - signedMs;
  if (!(Math.abs(ageMs) <= skewMs))
    throw mismatch(ageMs < 0 ? `Signature not yet current: ${stamp}` : `Signature expired: ${stamp}`);
};

const mismatch = (why: string): AwsError => new AwsError('SignatureDoesNotMatch', why, 403);
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
