/** HMAC-SHA256 signatures over the UTF-8 bytes of the body. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** `sha256=<hex>`, keyed with the text of the secret. */
export const hexSignature = (secret: string, signed: string): string =>
  `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`;

/** `v1,<base64>` over `<id>.<timestamp>.<body>`, as Standard Webhooks defines it. */
export const standardSignature = (secret: string, signed: string): string =>
  `v1,${createHmac('sha256', standardKey(secret)).update(signed).digest('base64')}`;

/**
 * Standard Webhooks libraries decode the part after `whsec_` as base64; any other secret is used as it is. A key object, because
 * with raw bytes a signature takes Node 33 µs instead of 8.
 */
const standardKey = (secret: string): KeyObject => {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  const isEncoded = encoded !== '' && base64.test(encoded);
  return createSecretKey(isEncoded ? encoded : secret, isEncoded ? 'base64' : 'utf8');
};

/** The bytes of key in a secret, decoded as for `standardSignature`. */
export const keyBytes = (secret: string): number => standardKey(secret).symmetricKeySize ?? 0;

const prefix = 'whsec_';
/** Padding is optional, as in the libraries. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{0,3})$/;
