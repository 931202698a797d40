/** Creates organizations and members through the API. */
import type { Role, Scope } from '../../../shared/contract/access.ts';
import { invitations, invites } from '../../../shared/contract/endpoints/invitations.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { serviceAccount } from '../../../shared/contract/endpoints/service-account.ts';
import { call, type Result } from './client.ts';
import { type Person, signIn } from './person.ts';

export interface TestOrganization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly owner: Person;
}

const expectStatus = <D>(result: Result<D>, status: number): D => {
  if (result.status !== status) throw new Error(`expected ${status}, got ${result.status}: ${result.text}`);
  return result.body.data;
};

export const newOrganization = async (owner?: Person, name = 'Test organization'): Promise<TestOrganization> => {
  const person = owner ?? (await signIn());
  const { id, slug } = expectStatus(await call(organizations.create, { token: person.accessToken, body: { name } }), 201);
  return { id, name, slug, owner: person };
};

/** Invites a new user, who accepts. */
export const addMember = async (
  organization: TestOrganization,
  role: Exclude<Role, 'owner'>,
  person?: Person,
): Promise<Person> => {
  const joining = person ?? (await signIn());
  const body = { email: joining.email, role };
  const by = { token: organization.owner.accessToken, org: organization.id };
  const { acceptUrl } = expectStatus(await call(invites.create, { ...by, body }), 201);
  const token = acceptUrl.split('/').at(-1) ?? '';
  const accepted = await call(invitations.accept, { token: joining.accessToken, params: { token } });
  // Repeated after a 503 that came too late to undo it, it has been accepted already.
  if (accepted.status !== 409 || accepted.body.error.details.status !== 'accepted') expectStatus(accepted, 200);
  return joining;
};

/** Creates a service account; only this response contains its key. */
export const newServiceAccountKey = async (organization: TestOrganization, permissions: readonly Scope[]): Promise<string> => {
  const by = { token: organization.owner.accessToken, org: organization.id };
  return expectStatus(await call(serviceAccount.create, { ...by, body: { name: 'Test', permissions } }), 201).apiKey;
};
