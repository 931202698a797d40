/** The guides in the order of the navigation. */
export interface GuideFacts {
  /** The last part of its address. */
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  /** Words that a reader may search for and the texts above do not contain. */
  readonly keywords?: string;
}

export const guideList = [
  {
    slug: 'getting-started',
    title: 'Getting started',
    summary: 'From signing in to the first backup, with curl and with the typed client',
    keywords: 'quickstart tutorial begin first backup curl example token',
  },
  {
    slug: 'signing-in',
    title: 'Signing in and API keys',
    summary: 'Access tokens, API keys, the session of a browser, roles and scopes',
    keywords: 'authentication authorization bearer cookie role scope permission pkce refresh token service account api key',
  },
  {
    slug: 'requests',
    title: 'Requests and responses',
    summary: 'The envelope of every answer, headers, and what is validated',
    keywords: 'envelope success data message x-request-id location head json validation',
  },
  {
    slug: 'errors',
    title: 'Errors',
    summary: 'Every error code with its status, its meaning, and what to do',
    keywords: 'failure problem json rfc 9457 status code details requestId',
  },
  {
    slug: 'idempotency',
    title: 'Idempotency',
    summary: 'Repeat a request safely after a lost connection',
    keywords: 'idempotency-key retry duplicate replay',
  },
  {
    slug: 'paging',
    title: 'Paging',
    summary: 'Read long lists page by page',
    keywords: 'pagination cursor limit nextCursor hasMore list',
  },
  {
    slug: 'rate-limits',
    title: 'Rate limits',
    summary: 'How many requests you may send, and how to see what is left',
    keywords: 'ratelimit throttle 429 retry-after quota',
  },
  {
    slug: 'versions',
    title: 'Versions and deprecation',
    summary: 'What can change, how an endpoint that will go says so, and until when it works',
    keywords: 'version semver breaking change deprecated deprecation sunset header removal changelog',
  },
  {
    slug: 'events',
    title: 'Webhook events',
    summary: 'Every event with its sample in each format',
    keywords: 'webhook payload notification delivery sample standard simple format',
  },
  {
    slug: 'verify-signatures',
    title: 'Verifying signatures',
    summary: 'Check that a webhook request comes from this service, in Node, Python, Go and Java',
    keywords: 'webhook hmac sha256 secret whsec node python go java standard webhooks verify',
  },
] as const satisfies readonly GuideFacts[];

export type GuideSlug = (typeof guideList)[number]['slug'];
