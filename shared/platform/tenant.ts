/** The organization a call acts in, as a type that cannot be forged: storage functions take a Tenant, never a string. */
declare const proof: unique symbol;

export interface Tenant {
  readonly organizationId: string;
  readonly [proof]: true;
}

/**
 * Why the caller may act in the organization. A law test lists the files that may call `unsafeTenant`.
 * - membership, service-account: read from the table for this call
 * - invitation: the link's signature names the organization
 * - created: the caller creates the organization
 * - record: a stream or queue record that our own transaction wrote
 */
export type Proof = 'membership' | 'service-account' | 'invitation' | 'created' | 'owner' | 'record';

export const unsafeTenant = (organizationId: string, _by: Proof): Tenant => ({ organizationId }) as Tenant;
