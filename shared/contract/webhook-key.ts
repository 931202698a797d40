const secretPrefix = 'whsec_';
/** Padding is optional, as in the libraries of Standard Webhooks. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{0,3})$/;

export const isBase64 = (text: string): boolean => base64.test(text);

/**
 * The key in a secret of Standard Webhooks: what is base64 after `whsec_`. Undefined for any other secret, whose text is the key.
 */
export const encodedKey = (secret: string): string | undefined => {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : '';
  return encoded !== '' && isBase64(encoded) ? encoded : undefined;
};
