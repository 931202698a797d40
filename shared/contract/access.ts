/** Access control: roles of members and scopes of service accounts. */

/** In ascending order; each role includes the permissions of those before it. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** Roles an invitation can grant. Ownership is only transferred. */
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

/**
 * Every endpoint states its access; there is no default.
 * - `public`: no authentication.
 * - `user`: a signed-in user, outside any organization; API keys are rejected.
 * - `browser`: as `user`, but only with the cookie of a browser that signed in to the console; tokens of apps and devices are rejected.
 * - role + scope: within the organization of X-Organization-Id. `people-only` rejects API keys.
 */
export type Access = 'public' | PersonalAccess | { readonly role: Role; readonly scope: Scope | 'people-only' };

export type PersonalAccess = 'user' | 'browser';

export const isPersonal = (access: Access): access is PersonalAccess => access === 'user' || access === 'browser';

/** Whether a caller within an organization, who has a role or scopes, meets the access of an endpoint. */
export const meetsAccess = (
  { role, permissions }: { readonly role: Role | undefined; readonly permissions: readonly string[] | undefined },
  access: Exclude<Access, string>,
): boolean => (role ? roleAtLeast(role, access.role) : (permissions?.includes(access.scope) ?? false));

export const roleAtLeast = (role: Role, required: Role): boolean => roles.indexOf(role) >= roles.indexOf(required);
