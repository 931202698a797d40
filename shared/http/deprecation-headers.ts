import type { Deprecation } from '../contract/endpoint.ts';

/** The headers of an endpoint that will go: since when it is deprecated (RFC 9745), when it ends (RFC 8594), and what replaces it. */
export const deprecationHeaders = (deprecated: Deprecation | undefined): Readonly<Record<string, string>> => {
  if (!deprecated) return {};
  const { since, sunset, use } = deprecated;
  return {
    deprecation: `@${Date.parse(since) / 1_000}`,
    sunset: new Date(sunset).toUTCString(),
    link: `</docs/versions>; rel="deprecation"; type="text/html", <${use.split(' ')[1]}>; rel="successor-version"`,
  };
};
