/** HMAC-SHA256 signatures over the UTF-8 bytes of the body. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { encodedKey } from '../../contract/webhook-key.ts';

/** `sha256=<hex>`, keyed with the text of the secret. */
export const hexSignature = (secret: string, signed: string): string =>
  `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`;

/** `v1,<base64>` over `<id>.<timestamp>.<body>`, as Standard Webhooks defines it. */
export const standardSignature = (secret: string, signed: string): string =>
  `v1,${createHmac('sha256', standardKey(secret)).update(signed).digest('base64')}`;

/** A key object, because with raw bytes a signature takes Node 33 µs instead of 8. */
const standardKey = (secret: string): KeyObject => {
  const encoded = encodedKey(secret);
  return encoded === undefined ? createSecretKey(secret, 'utf8') : createSecretKey(encoded, 'base64');
};

/** The bytes of key in a secret, decoded as for `standardSignature`. */
export const keyBytes = (secret: string): number => standardKey(secret).symmetricKeySize ?? 0;
