/** Verifies deliveries of webhooks. It needs Web Crypto alone, so it runs in Node, in workers at the edge and in browsers. */

import { encodedKey, isBase64 } from '../contract/webhook-key.ts';
import type { SimpleEvent, StandardEvent } from './route-table.ts';

/** Node's `request.headers`, or the `Headers` of a Request. */
export type WebhookHeaders = Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookDelivery {
  readonly headers: WebhookHeaders;
  /** The raw body, before it is parsed: the signature covers its bytes. */
  readonly body: string | Uint8Array;
  /** Of the webhook; several while it is being replaced. */
  readonly secret: string | readonly string[];
  /**
   * Of the webhook: `standard`, the default, or `simple`. `standard-webhooks` verifies the same body by the headers that Standard Webhooks
   * (https://www.standardwebhooks.com) defines.
   */
  readonly format?: SignatureFormat | undefined;
  /** How old, or how far in the future, a timestamp may be: 300 seconds. The simple format has no timestamp. */
  readonly toleranceSeconds?: number | undefined;
  /** Instead of the present time, for tests. */
  readonly now?: Date | undefined;
}

export type SignatureFormat = 'standard' | 'standard-webhooks' | 'simple';

/** The delivery is not from the service, or it was recorded and sent again. Answer 401. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
}

/** Returns the event of a delivery. Throws a WebhookFailure unless it was signed with the secret, within the tolerance. */
export async function verifyWebhook(delivery: WebhookDelivery & { readonly format: 'simple' }): Promise<SimpleEvent>;
export async function verifyWebhook(
  delivery: WebhookDelivery & { readonly format?: Exclude<SignatureFormat, 'simple'> | undefined },
): Promise<StandardEvent>;
export async function verifyWebhook(delivery: WebhookDelivery): Promise<StandardEvent | SimpleEvent> {
  const { format = 'standard', body } = delivery;
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const secrets = [delivery.secret].flat();
  // Anyone could sign with an empty one.
  if (secrets.length === 0 || secrets.includes('')) throw new TypeError('verifyWebhook: the secret is empty');
  const { signatures, signedText } = readers[format](delivery);
  const prefix = encoder.encode(signedText);
  const signed = new Uint8Array(prefix.length + bytes.length);
  signed.set(prefix);
  signed.set(bytes, prefix.length);
  const keys = secrets.map((secret) => (format === 'standard-webhooks' ? standardKey(secret) : encoder.encode(secret)));
  // All are compared, so that the time tells nothing about which one matches.
  const matches = await Promise.all(
    keys.flatMap((key) =>
      signatures.map(async (signature) => signature.length > 0 && (await isSignedWith(key, signature, signed))),
    ),
  );
  if (!matches.includes(true)) throw new WebhookFailure(`no signature of the ${format} format matches`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as StandardEvent | SimpleEvent;
  } catch (cause) {
    throw new WebhookFailure('the body is not JSON', { cause });
  }
}

interface SignedParts {
  /** During a rotation the previous secret signs, too. */
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
  /** What is signed before the body. */
  readonly signedText: string;
}

const readers: Readonly<Record<SignatureFormat, (delivery: WebhookDelivery) => SignedParts>> = {
  standard: (delivery) => ({
    signatures: hexSignatures(delivery.headers, 'x-service-signature'),
    signedText: `${timestampOf(delivery, 'x-service-timestamp')}.`,
  }),
  simple: ({ headers }) => ({ signatures: hexSignatures(headers, 'x-webhook-signature'), signedText: '' }),
  'standard-webhooks': (delivery) => {
    const given = (headerOf(delivery.headers, 'webhook-signature') ?? '').split(' ');
    return {
      signatures: given.filter((one) => one.startsWith('v1,')).map((one) => decodeBase64(one.slice('v1,'.length))),
      signedText: `${headerOf(delivery.headers, 'webhook-id')}.${timestampOf(delivery, 'webhook-timestamp')}.`,
    };
  },
};

const encoder = new TextEncoder();
const toleranceDefault = 300;

const headerOf = (headers: WebhookHeaders, name: string): string | undefined => {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return entry?.[1] === undefined ? undefined : String(entry[1]);
};

const hexSignatures = (headers: WebhookHeaders, name: string): readonly Uint8Array<ArrayBuffer>[] =>
  [name, `${name}-previous`].flatMap((each) => {
    const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(headerOf(headers, each) ?? '') ?? [];
    return hex === undefined ? [] : [new Uint8Array((hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)))];
  });

const timestampOf = ({ headers, toleranceSeconds = toleranceDefault, now }: WebhookDelivery, name: string): string => {
  const timestamp = headerOf(headers, name) ?? '';
  const distance = Math.abs((now?.getTime() ?? Date.now()) / 1_000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp)) throw new WebhookFailure(`the header ${name} is missing or no number`);
  if (distance > toleranceSeconds) throw new WebhookFailure(`the header ${name} is more than ${toleranceSeconds} seconds off`);
  return timestamp;
};

/** Web Crypto compares in constant time. */
const isSignedWith = async (
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> => {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  return crypto.subtle.verify('HMAC', imported, signature, signed);
};

const standardKey = (secret: string): Uint8Array<ArrayBuffer> => {
  const encoded = encodedKey(secret);
  return encoded === undefined ? encoder.encode(secret) : decodeBase64(encoded);
};

/** Empty if it is not base64. A single character at the end is no byte: it is ignored, as by Node. */
const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> => {
  if (!isBase64(text)) return new Uint8Array();
  const complete = text.length % 4 === 1 ? text.slice(0, -1) : text;
  return Uint8Array.from(atob(complete), (character) => character.charCodeAt(0));
};
