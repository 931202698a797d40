import { type Role, roleAtLeast } from '../../../../shared/contract/access.ts';

/** Who can do what needs a role. Everyone in an organization is at least a viewer. */
const whoCan: Readonly<Record<Role, string>> = {
  viewer: 'Only members of the organization can do this.',
  member: 'Only members, admins and the owner can do this.',
  admin: 'Only admins and the owner can do this.',
  owner: 'Only the owner can do this.',
};

/** Why someone with this role may not do what needs another one; undefined if they may. */
export const deniedReason = (own: Role, required: Role): string | undefined =>
  roleAtLeast(own, required) ? undefined : whoCan[required];
