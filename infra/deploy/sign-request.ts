/** AWS Signature Version 4 of a POST with a form. */
import { createHash, createHmac } from 'node:crypto';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface Unsigned {
  readonly url: string;
  readonly body: string;
  readonly region: string;
  readonly service: string;
  readonly credentials: Credentials;
  readonly now: Date;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The headers to send with it. */
export const signRequest = ({ url, body, region, service, credentials, now }: Unsigned): Record<string, string> => {
  const { host, pathname } = new URL(url);
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const signed: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    host,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(signed).sort().join(';');
  const lines = Object.entries(signed)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}:${value}\n`)
    .join('');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const request = ['POST', pathname, '', lines, names, sha256(body)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')).toString('hex');
  const { host: _, ...headers } = signed;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
};
