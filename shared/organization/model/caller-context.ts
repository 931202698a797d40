import type { Actor } from '../../audit/index.ts';
import type { Role } from '../../contract/access.ts';
import type { Tenant } from '../../platform/index.ts';
import type { OrganizationRecord } from './record.ts';

/** The caller within an organization. */
export interface CallerContext {
  readonly tenant: Tenant;
  readonly organization: OrganizationRecord;
  /** The role of a person; a service account has none. */
  readonly role: Role | undefined;
  readonly actor: Actor;
}

type OrganizationRef = Pick<OrganizationRecord, 'id' | 'name'>;

/** The organization as events name it. */
export const organizationRef = ({ id, name }: OrganizationRef): OrganizationRef => ({ id, name });
