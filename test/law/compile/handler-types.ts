/** Laws enforced by the compiler: `npm run check` fails if a line marked below compiles. */
import * as z from 'zod/mini';
import { handlers } from '../../../functions/handlers.ts';
import { type Endpoint, group } from '../../../shared/contract/endpoint.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { contract } from '../../../shared/contract/index.ts';
import { handle } from '../../../shared/http/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { env, type Tenant } from '../../../shared/platform/index.ts';

type Handlers = { readonly [G in keyof typeof contract]: { readonly [O in keyof (typeof contract)[G]]: unknown } };

/** An endpoint without a handler does not compile. */
export const withoutHandler = () => {
  const { current: _, ...organizations } = handlers.organizations;
  // @ts-expect-error organizations.current is missing
  return { ...handlers, organizations } satisfies Handlers;
};

const access = { role: 'admin', scope: 'organization:write', projects: 'organization' } as const;
const capabilities = ['table:write'] as const;
const common = { access, capabilities, summary: '' } as const;
const change = { writes: [], audit: [] };

export const rows = group('things', '/things', {
  get: { ...common, route: 'GET /{thingId}', data: z.object({ id: z.string(), size: z.int() }) },
  make: {
    ...common,
    route: 'POST',
    body: z.strictObject({ name: z.string() }),
    data: z.object({ id: z.string() }),
    audit: 'backup.created',
  },
  list: { ...common, route: 'GET', list: z.object({ id: z.string() }) },
  open: { ...common, route: 'GET /open', access: 'public', data: z.object({ organizationId: z.string() }) },
  mine: { ...common, route: 'GET /mine', access: 'user', data: z.object({ id: z.string() }) },
  page: { ...common, route: 'GET /page', reply: 'file', content: { 'text/plain': 'text' } },
});

/** These compile. */
export const right = [
  handle(rows.get, async ({ params }) => ({ data: { id: params.thingId, size: 1 } })),
  handle(rows.make, async ({ body }) => ({ data: { id: body.name }, change })),
  handle(rows.list, async ({ page }) => ({ items: [{ id: String(page.limit) }], next: page.after })),
  handle(rows.mine, async ({ user }) => ({ data: { id: user.userId } })),
];

export const wrong = [
  // @ts-expect-error the path has thingId, not id
  handle(rows.get, async ({ params }) => ({ data: { id: params.id, size: 1 } })),
  // @ts-expect-error size is missing from the answer
  handle(rows.get, async ({ params }) => ({ data: { id: params.thingId } })),
  // @ts-expect-error size is a number
  handle(rows.get, async ({ params }) => ({ data: { id: params.thingId, size: '1' } })),
  // @ts-expect-error the body has a name and nothing else
  handle(rows.make, async ({ body }) => ({ data: { id: body.title }, change })),
  // @ts-expect-error a row with an audit action must return its change
  handle(rows.make, async ({ body }) => ({ data: { id: body.name } })),
  // @ts-expect-error a list answers items and where it goes on
  handle(rows.list, async () => ({ items: [{ id: '1' }] })),
  // @ts-expect-error a row without a body has none
  handle(rows.get, async ({ body }) => ({ data: { id: body.name, size: 1 } })),
  // @ts-expect-error a public endpoint has no tenant
  handle(rows.open, async ({ tenant }) => ({ data: tenant })),
  // @ts-expect-error a signed-in person is in no organization yet
  handle(rows.mine, async ({ tenant }) => ({ data: { id: tenant.organizationId } })),
  // @ts-expect-error a file is no data
  handle(rows.page, async () => ({ data: {} })),
];

export const wrongRows = [
  // @ts-expect-error a row must say who may call it
  { id: 'a.b', route: 'GET /', summary: '', capabilities } satisfies Endpoint,
  // @ts-expect-error a role needs the scope an API key would need, or people-only
  { id: 'a.b', route: 'GET /', summary: '', capabilities, access: { role: 'admin' } } satisfies Endpoint,
  // @ts-expect-error a scope that does not exist
  { id: 'a.b', route: 'GET /', summary: '', capabilities, access: { role: 'admin', scope: 'all' } } satisfies Endpoint,
  // @ts-expect-error an unknown capability
  { id: 'a.b', route: 'GET /', summary: '', access, capabilities: ['table:drop'] } satisfies Endpoint,
  // @ts-expect-error an error code that is not in the table
  { id: 'a.b', route: 'GET /', summary: '', access, capabilities, errors: ['OOPS'] } satisfies Endpoint,
];

/** Neither a string nor an object literal is a Tenant. */
export const forged = () => {
  // @ts-expect-error only a proof makes a Tenant
  organizationKey.organization('org_1');
  // @ts-expect-error only a proof makes a Tenant
  const tenant: Tenant = { organizationId: 'org_1' };
  return tenant;
};

// @ts-expect-error a variable no grant sets
export const unknownVariable = () => env('HOME');

// @ts-expect-error a code that is not in the table
export const unknownCode = () => new ApiError('TEAPOT', 'short and stout');
