/** Redirects of one-time codes. Compared as text with the configured list, because looser comparisons can be bypassed. */

/** A loopback entry allows any port (RFC 8252 section 7.3), because native apps use whichever is free. */
export const isAllowedRedirect = (uri: string, allowed: readonly string[]): boolean => {
  const bare = withoutLoopbackPort(uri);
  return allowed.includes(uri) || (bare !== undefined && allowed.some((entry) => withoutLoopbackPort(entry) === bare));
};

/** 'http://127.0.0.1:51004/callback' → 'http://127.0.0.1/callback'; undefined for anything that is not loopback over http. */
const withoutLoopbackPort = (uri: string): string | undefined => {
  const match = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?(\/.*|)$/.exec(uri);
  return match && Number(match[2] ?? 80) <= 65_535 ? `${match[1]}${match[3]}` : undefined;
};

/** Adds parameters to the query; undefined ones are omitted. */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.append(name, value);
  return url.href;
};
