/** Who may call what: the roles people have and the scopes a service account can hold. */

/** From least to most: each role may do everything the ones before it may. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** The roles an invitation can give; ownership is only ever transferred. */
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
 * Every endpoint states one; there is no default.
 * - `public`: nobody is asked who they are.
 * - `user`: a signed-in person, outside any organization; API keys are refused.
 * - role + scope: within the organization named by X-Organization-Id. `people-only` refuses every API key.
 */
export type Access = 'public' | 'user' | { readonly role: Role; readonly scope: Scope | 'people-only' };

export const roleAtLeast = (role: Role, required: Role): boolean => roles.indexOf(role) >= roles.indexOf(required);
