/** HMAC-SHA256 over the bytes that are sent, in UTF-8. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** `sha256=<hex>`, under the secret as it was shown. */
export const hexSignature = (secret: string, signed: string): string =>
  `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`;

/** `v1,<base64>` over `<id>.<timestamp>.<body>`, as Standard Webhooks has it. */
export const standardSignature = (secret: string, signed: string): string =>
  `v1,${createHmac('sha256', standardKey(secret)).update(signed).digest('base64')}`;

/**
 * Every Standard Webhooks library takes what follows `whsec_` as base64; any other secret is its own bytes. As a key object: under
 * bare bytes a signature takes Node 33 µs instead of 8.
 */
const standardKey = (secret: string): KeyObject => {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  const isEncoded = encoded !== '' && base64.test(encoded);
  return createSecretKey(isEncoded ? encoded : secret, isEncoded ? 'base64' : 'utf8');
};

const prefix = 'whsec_';
/** Padding may be left out, as the libraries allow. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{0,3})$/;
