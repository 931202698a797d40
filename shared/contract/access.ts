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
 * - role + scope: within the organization of X-Organization-Id. `people-only` rejects API keys.
 */
export type Access = 'public' | 'user' | { readonly role: Role; readonly scope: Scope | 'people-only' };

export const roleAtLeast = (role: Role, required: Role): boolean => roles.indexOf(role) >= roles.indexOf(required);
