/** The headers a customer adds to deliveries: which may be, and what may be shown of them. */
import { invalid } from '../../contract/errors.ts';
import { webhookHeadersMaxBytes } from '../../contract/limits.ts';

export type Headers = Readonly<Record<string, string>>;

/** Stands for a secret wherever one would be shown; sent back, it is told from one. */
export const mask = '********';

/** Whether what was given is, or holds, what we showed instead of a secret: that must never become what we use. */
export const isMasked = (value: string): boolean => value.includes(mask) || /^[*\u2022]{3,}$/.test(value);

/** Whether the value of a header of this name is a credential, as far as a name can tell: better one too many than one too few. */
export const isSensitive = (name: string): boolean =>
  /auth|cookie|token|secret|key|pass|pwd|credential|sig|session|bearer|jwt|hmac|otp|api|access/i.test(name) ||
  // Within longer words these say nothing, as in Path or Shipping.
  /(?<![a-z])(pin|pat)(?![a-z])/i.test(name);

/** Some put a credential under a name that does not tell; its scheme does, or how it is made. */
const looksLikeCredential = (value: string): boolean =>
  /^\s*(basic|bearer|digest|token|apikey|hmac)\s/i.test(value) ||
  // What well-known issuers begin theirs with: JWT, GitHub, Stripe, Slack, AWS, GitLab.
  /(?<![a-z\d])(eyJ|gh[opsur]_|github_pat_|[prs]k_|xox[a-z]-|A[KS]IA[A-Z\d]|glpat-)/i.test(value) ||
  // 32 characters of base64, either kind, or hex hold 128 bits or more.
  /[\w+/=-]{32}/.test(value);

/** What may be shown of headers: all names, and the values that are no credentials. */
export const maskHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSensitive(name) || looksLikeCredential(value) ? mask : value]),
  );

/** What frames a message or belongs to one connection is the sender's to say. */
const forbiddenNames = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'host', 'expect'];
/** And so is what tells a receiver that a delivery is ours, and which. */
const forbiddenPrefixes = ['proxy-', 'content-', 'x-service-', 'x-webhook-', 'webhook-'];

/** Of an object by these names more than a property is asked for: a table that keeps it refuses it, or loses them. */
const nativeNames = ['constructor', 'prototype', '__proto__'];

export const isForbidden = (name: string): boolean => {
  const lower = name.toLowerCase();
  return forbiddenNames.includes(lower) || forbiddenPrefixes.some((prefix) => lower.startsWith(prefix));
};

/** RFC 9110: the name of a field is a token. */
const isToken = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
/** RFC 9110 also takes bytes beyond ASCII, which no two receivers read alike. */
const isPrintable = (value: string): boolean => /^[\t -~]*$/.test(value);

/** Throws VALIDATION_ERROR that names the header. No message repeats a value. */
export const checkHeaders = (headers: Headers): void => {
  const taken = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!isToken(name)) throw invalid('headers', 'names must be of letters, digits and hyphens, as in X-Environment');
    const field = `headers.${name.slice(0, 100)}`;
    if (isForbidden(name)) throw invalid(field, 'is set by the service and cannot be given');
    if (nativeNames.includes(lower)) throw invalid(field, 'cannot be the name of a header');
    if (taken.has(lower)) throw invalid(field, 'is given twice: the case of a name does not matter');
    if (!isPrintable(value)) throw invalid(field, 'must be of printable ASCII characters, without line breaks');
    if (isMasked(value)) throw invalid(field, 'is the masked value; send the real one');
    taken.add(lower);
  }
  const bytes = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes > webhookHeadersMaxBytes)
    throw invalid('headers', `must be at most ${webhookHeadersMaxBytes} bytes, names and values together`);
};
