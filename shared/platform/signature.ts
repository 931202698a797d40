/** AWS Signature Version 4: a call is let in because whoever sent it has the key, and as it was sent. */
import { createHash, createHmac } from 'node:crypto';
import type { AwsKeys } from './found-keys.ts';

export interface Signable {
  readonly method: string;
  /** `host`, with the port where it is not the protocol's own. */
  readonly host: string;
  /** As it is sent: each segment encoded once. */
  readonly path: string;
  readonly query?: Query;
  /** All of these are signed; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

export type Query = Readonly<Record<string, string | undefined>>;

export interface Scope {
  readonly service: string;
  readonly region: string;
}

/** The headers to send the call with. S3 signs the path as it is sent and the hash of the body by name; all others encode the path once more. */
export const signedHeaders = (call: Signable, { service, region }: Scope, keys: AwsKeys, at: Date): Record<string, string> => {
  const time = at.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const bodyHash = createHash('sha256').update(call.body).digest('hex');
  const headers: Record<string, string> = {
    ...call.headers,
    host: call.host,
    'x-amz-date': time,
    ...(service === 's3' && { 'x-amz-content-sha256': bodyHash }),
    ...(keys.sessionToken && { 'x-amz-security-token': keys.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    call.method,
    service === 's3' ? call.path : encodedPath(call.path),
    canonicalQuery(call.query ?? {}),
    ...names.map((name) => `${name}:${headers[name]?.trim().replace(/\s+/g, ' ')}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  const signature = hmac(key, text).toString('hex');
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return headers;
};

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Everything but letters, digits and `-._~` (RFC 3986), which encodeURIComponent leaves some of. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/** A path of any text, ready to be sent: slashes stay. */
export const encodedPath = (path: string): string => path.split('/').map(encoded).join('/');

/** As it is sent, with its question mark; one that has no value is its name alone. */
export const sentQuery = (query: Query): string => {
  const sent = given(query).map(([name, value]) => (value === '' ? encoded(name) : `${encoded(name)}=${encoded(value)}`));
  return sent.length === 0 ? '' : `?${sent.join('&')}`;
};

const canonicalQuery = (query: Query): string =>
  given(query)
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');

const given = (query: Query): [string, string][] =>
  Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
