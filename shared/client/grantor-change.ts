import type { Role } from '../contract/access.ts';

/** What has become of the person who granted an API key; undefined while they may grant one. */
export const grantorChange = ({
  email,
  role,
}: {
  readonly email: string | null;
  readonly role: Role | null;
}): string | undefined => {
  const who = email ?? 'its grantor';
  if (role === null) return `${who} is no longer a member`;
  return role === 'admin' || role === 'owner' ? undefined : `${who} is no longer an admin`;
};
