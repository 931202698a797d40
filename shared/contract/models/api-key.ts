import * as z from 'zod/mini';
import { invitableRoles, roles, scopes } from '../access.ts';
import { normalAddressRange } from '../address-range.ts';
import { id, Moment, Name, ShownName } from '../fields.ts';
import { apiKeyAddressesMax, apiKeyProjectsMax } from '../limits.ts';
import { Creator } from './job.ts';

export const apiKeyStatuses = ['active', 'expiring', 'expired'] as const;

/** At least one scope. Also of the service account. */
export const Permissions = z
  .array(z.enum(scopes))
  .check(
    z.minLength(1, 'must have at least one entry'),
    z.maxLength(scopes.length, `must have at most ${scopes.length} entries`),
  );

const rangeReason = 'must be an IP address or a range in CIDR notation, such as 203.0.113.7 or 2001:db8::/32';

const AddressRange = z.string().check(
  z.maxLength(64, rangeReason),
  z.refine((text) => normalAddressRange(text) !== undefined, rangeReason),
  z.overwrite((text) => normalAddressRange(text) ?? text),
  z.meta({ examples: ['203.0.113.0/24'] }),
);

/** shared/organization/api-key checks the expiry, shared/project the projects. */
export const apiKeyFields = {
  name: Name,
  role: z.enum(invitableRoles),
  permissions: Permissions,
  projectIds: z.nullable(
    z
      .array(id('project'))
      .check(
        z.minLength(1, 'must have at least one entry, or be null for all projects'),
        z.maxLength(apiKeyProjectsMax, `must have at most ${apiKeyProjectsMax} entries`),
      ),
  ),
  allowedAddresses: z.nullable(
    z
      .array(AddressRange)
      .check(
        z.minLength(1, 'must have at least one entry, or be null for any address'),
        z.maxLength(apiKeyAddressesMax, `must have at most ${apiKeyAddressesMax} entries`),
      ),
  ),
  expiresAt: Moment,
};

/** A person who answers for a key, with their role now. Null: no longer a member of the organization. */
export const KeyGrantor = z.extend(Creator, { role: z.nullable(z.enum(roles)) });

export const ApiKey = z.object({
  id: z.string(),
  name: ShownName,
  role: z.enum(invitableRoles),
  permissions: z.array(z.enum(scopes)),
  projectIds: z.nullable(z.array(z.string())),
  allowedAddresses: z.nullable(z.array(z.string())),
  status: z.enum(apiKeyStatuses),
  expiresAt: Moment,
  lastUsedAt: z.nullable(Moment),
  createdBy: KeyGrantor,
  grantedBy: KeyGrantor,
  createdAt: Moment,
  updatedAt: Moment,
  rotatedAt: z.nullable(Moment),
  previousKeyExpiresAt: z.nullable(Moment),
});

export const ApiKeyWithSecret = z.extend(ApiKey, { apiKey: z.string() });
