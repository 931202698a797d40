/** Everyone a law needs: each role and key, a stranger, and an organization that was deleted. Made once per file. */
import { type Role, roles, type Scope, scopes } from '../../shared/contract/access.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { type ErrorCode, errors } from '../../shared/contract/errors.ts';
import { errorsOf } from '../../shared/contract/failure.ts';
import type { IdKind } from '../../shared/contract/id.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { organizations } from '../../shared/contract/organizations.ts';
import { newId } from '../../shared/platform/index.ts';
import { call, type Result } from './client.ts';
import { forge } from './forge.ts';
import { addMember, newApiKey, newOrganization, type TestOrganization } from './organization.ts';
import { type Person, signIn } from './person.ts';

export interface World {
  readonly organization: TestOrganization;
  readonly people: Readonly<Record<Role, Person>>;
  /** A key of the organization with every scope. */
  readonly apiKey: string;
  /** For each scope some row asks for, an organization with a key that has all but that one. */
  readonly lacking: Keys;
  /** And one with a key that has that one alone. */
  readonly only: Keys;
  /** Another organization of the same people, for calls that are let in: none of them finds anything to change. */
  readonly playground: TestOrganization;
  /** Its owner is in no way connected to the organization. */
  readonly foreign: TestOrganization;
  /** Soft-deleted, with its owner and a key that had every scope. */
  readonly deleted: TestOrganization & { readonly apiKey: string };
  readonly expiredToken: string;
}

type Keys = Readonly<Record<string, { organization: TestOrganization; apiKey: string }>>;

export const makeWorld = async (): Promise<World> => {
  const organization = await newOrganization();
  const [viewer, member, admin] = await Promise.all(
    (['viewer', 'member', 'admin'] as const).map((role) => addMember(organization, role)),
  );
  const playground = await newOrganization(organization.owner);
  await Promise.all([
    addMember(playground, 'viewer', viewer),
    addMember(playground, 'member', member),
    addMember(playground, 'admin', admin),
  ]);
  const nowSeconds = Math.floor(Date.now() / 1_000);
  return {
    organization,
    people: { owner: organization.owner, viewer: viewer!, member: member!, admin: admin! },
    apiKey: await newApiKey(organization, scopes),
    lacking: await keysWith((scope) => scopes.filter((other) => other !== scope)),
    only: await keysWith((scope) => [scope]),
    playground,
    foreign: await newOrganization(),
    deleted: await makeDeleted(),
    expiredToken: await forge(organization.owner.accessToken, { iat: nowSeconds - 3_601, exp: nowSeconds - 1 }),
  };
};

const keysWith = async (permissionsOf: (scope: Scope) => readonly Scope[]): Promise<Keys> => {
  const wanted = new Set(endpoints.flatMap(({ access }) => (typeof access === 'object' ? [access.scope] : [])));
  // Only the key matters: they may all be one person's.
  const owner = await signIn();
  const made = scopes
    .filter((scope) => wanted.has(scope))
    .map(async (scope) => {
      const organization = await newOrganization(owner);
      return [scope, { organization, apiKey: await newApiKey(organization, permissionsOf(scope)) }] as const;
    });
  return Object.fromEntries(await Promise.all(made));
};

const makeDeleted = async (): Promise<World['deleted']> => {
  const organization = await newOrganization();
  const apiKey = await newApiKey(organization, scopes);
  const by = { token: organization.owner.accessToken, org: organization.id };
  const { status } = await call(organizations.remove, { ...by, body: { confirmName: organization.name } });
  if (status !== 200) throw new Error(`the organization was not deleted: ${status}`);
  return { ...organization, apiKey };
};

/** The roles that do not reach the one a row asks for. */
export const rolesBelow = (role: Role): readonly Role[] => roles.slice(0, roles.indexOf(role));

/** Ids that could be right, for every parameter of a path. */
export const randomParams = ({ path }: Pick<Endpoint, 'path'>): Record<string, string> =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, randomFor(name)]));

/** What each parameter of a path names; a token is no id. */
export const parameterKinds = {
  userId: 'user',
  inviteId: 'invitation',
  id: 'organization',
  projectId: 'project',
  storageId: 'storageDestination',
  backupId: 'backup',
  restoreJobId: 'restore',
  scheduleId: 'schedule',
  webhookId: 'webhook',
  deliveryId: 'delivery',
} as const satisfies Readonly<Record<string, IdKind>>;

const randomFor = (name: string): string =>
  name in parameterKinds ? newId(parameterKinds[name as keyof typeof parameterKinds]) : 'x.y.z';

/** What is wrong with an answer in the eyes of every endpoint: nothing, or the first thing. */
export const flawOf = (endpoint: Endpoint, { status, body, headers, text }: Result<unknown>): string | undefined => {
  for (const name of ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
    if (!headers.get(name)) return `no ${name}`;
  if (headers.get('x-content-type-options') !== 'nosniff') return 'its type may be guessed';
  if (status < 400) return undefined;
  const { error } = body;
  if (body.success !== false || typeof error?.code !== 'string') return `not an error in the envelope: ${text.slice(0, 200)}`;
  if (errors[error.code as ErrorCode] !== status) return `${error.code} with status ${status}`;
  if (!errorsOf(endpoint).includes(error.code as ErrorCode)) return `${error.code} is not described`;
  if (error.requestId !== headers.get('x-request-id')) return 'two request ids';
  return typeof error.message === 'string' && error.message.length > 0 ? undefined : 'no message';
};
