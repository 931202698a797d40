import { accountKey } from '../account/index.ts';
import type { Actor } from '../audit/index.ts';
import { roleAtLeast } from '../contract/access.ts';
import { invalid } from '../contract/errors.ts';
import { organizationKey, readServiceAccount } from '../organization/index.ts';
import { type GoogleAccount, getAll, readPrivateKey, sealSecret, type Tenant } from '../platform/index.ts';
import type { Connection } from './record.ts';
import { sourceContext } from './source-token.ts';

/** Uses the given credentials, or the caller's own grant. For an API key that is the grant of the user who created it. */
export const chooseConnection = async (
  tenant: Tenant,
  projectId: string,
  actor: Actor,
  credentials: GoogleAccount | undefined,
): Promise<Connection> => {
  if (credentials) return serviceAccountConnection(tenant, projectId, credentials);
  if (actor.type === 'user') return { type: 'user', userId: actor.id, email: actor.email ?? '' };
  return creatorConnection(tenant);
};

const serviceAccountConnection = async (tenant: Tenant, projectId: string, account: GoogleAccount): Promise<Connection> => {
  if (!readPrivateKey(account.privateKey)) throw invalid('credentials.privateKey', 'must be an RSA private key in PEM form');
  const sealed = await sealSecret(account.privateKey, sourceContext(tenant, projectId));
  return { type: 'service_account', email: account.clientEmail, sealed };
};

/** Requires that the creator may still connect projects. */
const creatorConnection = async (tenant: Tenant): Promise<Connection> => {
  const { createdBy } = await readServiceAccount(tenant);
  if (createdBy === undefined) throw invalid('credentials', 'are required: the creator of this API key is unknown');
  const [member, profile] = await getAll([organizationKey.member(tenant, createdBy), accountKey.user(createdBy)]);
  if (!member || !roleAtLeast(member.role, 'member')) {
    throw invalid('credentials', 'are required: the creator of this API key may no longer connect projects');
  }
  return { type: 'user', userId: createdBy, email: profile?.email ?? member.address };
};
