/** Access control: roles of members, scopes of the service account, and both of API keys. */

/** In ascending order; each role includes the permissions of those before it. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** Roles that an invitation or an API key can have. Ownership is only transferred. */
export const invitableRoles = ['viewer', 'member', 'admin'] as const;

export const scopes = [
  'backups:read',
  'backups:write',
  'schedules:read',
  'schedules:write',
  'projects:read',
  'projects:write',
  'erasures:write',
  'storage:read',
  'storage:write',
  'organization:read',
  'organization:write',
] as const;
export type Scope = (typeof scopes)[number];
/** The permissions of a key that is created without any. */
export const readScopes = scopes.filter((scope) => scope.endsWith(':read'));

/**
 * Every endpoint states its access; there is no default.
 * - `public`: no authentication.
 * - `user`: a signed-in user, outside any organization; API keys are rejected.
 * - `browser`: as `user`, but only with the cookie of a browser that signed in to the console; tokens of apps and devices are rejected.
 * - role + scope: within the organization of X-Organization-Id. `people-only` rejects all keys.
 */
export type Access =
  | 'public'
  | PersonalAccess
  | { readonly role: Role; readonly scope: 'people-only' }
  | { readonly role: Role; readonly scope: Scope; readonly projects: ProjectReach };

/**
 * How an endpoint holds an API key that is limited to projects (`shared/http/limit-to-projects.ts`):
 * - `named`: the call names a project or a resource of one. Those of other projects do not exist for the key.
 * - `listed`: items of other projects are left out.
 * - `unrelated`: shows and changes nothing of a project.
 * - `organization`: concerns the organization as a whole; such a key is refused.
 */
export type ProjectReach = 'named' | 'listed' | 'unrelated' | 'organization';

export type PersonalAccess = 'user' | 'browser';

export const isPersonal = (access: Access): access is PersonalAccess => access === 'user' || access === 'browser';

/** Whether a caller within an organization meets the access of an endpoint. A person has a role, a service account scopes, an API key both. */
export const meetsAccess = (
  { role, permissions }: { readonly role: Role | undefined; readonly permissions: readonly string[] | undefined },
  access: Exclude<Access, string>,
): boolean =>
  (role !== undefined || permissions !== undefined) &&
  (role === undefined || roleAtLeast(role, access.role)) &&
  (permissions === undefined || permissions.includes(access.scope));

export const roleAtLeast = (role: Role, required: Role): boolean => roles.indexOf(role) >= roles.indexOf(required);
