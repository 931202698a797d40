/** Headers that a customer adds to deliveries: which are allowed, and which values are masked. */
import { invalid } from '../../contract/errors.ts';
import { webhookHeadersMaxBytes } from '../../contract/limits.ts';
import { isMasked, secretMask } from '../../platform/index.ts';

export type Headers = Readonly<Record<string, string>>;

/** Whether the name suggests a credential. Errs on the side of masking. */
export const isSensitive = (name: string): boolean =>
  /auth|cookie|token|secret|key|pass|pwd|credential|sig|session|bearer|jwt|hmac|otp|api|access/i.test(name) ||
  // Only as whole words: not in Path or Shipping.
  /(?<![a-z])(pin|pat)(?![a-z])/i.test(name);

/** Detects a credential by its scheme or shape, whatever its name. */
export const looksLikeCredential = (value: string): boolean =>
  /^\s*(basic|bearer|digest|token|apikey|hmac)\s/i.test(value) ||
  // Prefixes of well-known issuers: JWT, GitHub, Stripe, Slack, AWS, GitLab.
  /(?<![a-z\d])(eyJ|gh[opsur]_|github_pat_|[prs]k_|xox[a-z]-|A[KS]IA[A-Z\d]|glpat-)/i.test(value) ||
  // 32 characters of base64, base64url or hex hold at least 128 bits.
  /[\w+/=-]{32}/.test(value);

/** All names, with the values of credentials masked. */
export const maskHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSensitive(name) || looksLikeCredential(value) ? secretMask : value]),
  );

/** Headers that frame the message or belong to the connection. */
const forbiddenNames = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'host', 'expect'];
/** Headers by which a receiver recognises our deliveries. */
const forbiddenPrefixes = ['proxy-', 'content-', 'x-service-', 'x-webhook-', 'webhook-'];

/** Names with a meaning of their own in JavaScript objects: they would be lost or refused when stored. */
const nativeNames = ['constructor', 'prototype', '__proto__'];

const isForbidden = (name: string): boolean => {
  const lower = name.toLowerCase();
  return forbiddenNames.includes(lower) || forbiddenPrefixes.some((prefix) => lower.startsWith(prefix));
};

/** RFC 9110: a field name is a token. */
const isToken = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
/** RFC 9110 also allows bytes beyond ASCII, but receivers decode them differently. */
const isPrintable = (value: string): boolean => /^[\t -~]*$/.test(value);

/** Throws VALIDATION_ERROR that names the header and never repeats a value. */
export const checkHeaders = (headers: Headers): void => {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!isToken(name)) throw invalid('headers', 'names must consist of letters, digits and hyphens, such as X-Environment');
    const field = `headers.${name.slice(0, 100)}`;
    if (isForbidden(name)) throw invalid(field, 'is set by the service and cannot be overridden');
    if (nativeNames.includes(lower)) throw invalid(field, 'is not allowed as a header name');
    if (seen.has(lower)) throw invalid(field, 'is given twice: header names are case-insensitive');
    if (!isPrintable(value)) throw invalid(field, 'must consist of printable ASCII characters, without line breaks');
    if (isMasked(value)) throw invalid(field, 'is the masked value; send the actual value');
    seen.add(lower);
  }
  const bytes = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes > webhookHeadersMaxBytes)
    throw invalid('headers', `must be at most ${webhookHeadersMaxBytes} bytes in total, names and values`);
};
