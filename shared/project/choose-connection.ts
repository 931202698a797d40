/** Whose access to the source a project is to use. */
import { accountKey, type UserRecord } from '../account/index.ts';
import type { Actor } from '../audit/index.ts';
import { roleAtLeast } from '../contract/access.ts';
import { invalid } from '../contract/errors.ts';
import { type MemberRecord, organizationKey, readServiceAccount } from '../organization/index.ts';
import { type GoogleAccount, getAll, readPrivateKey, sealSecret, type Tenant } from '../platform/index.ts';
import type { Connection } from './record.ts';
import { sourceContext } from './source-token.ts';

/** The credentials given, or the caller's own grant; an API key stands for the person who made its account. */
export const chooseConnection = async (
  tenant: Tenant,
  projectId: string,
  actor: Actor,
  credentials: GoogleAccount | undefined,
): Promise<Connection> => {
  if (credentials) return connectionOfAccount(tenant, projectId, credentials);
  if (actor.type === 'user') return { type: 'user', userId: actor.id, email: actor.email ?? '' };
  return connectionOfMaker(tenant);
};

const connectionOfAccount = async (tenant: Tenant, projectId: string, account: GoogleAccount): Promise<Connection> => {
  if (!readPrivateKey(account.privateKey)) throw invalid('credentials.privateKey', 'must be an RSA private key in PEM form');
  const sealed = await sealSecret(account.privateKey, sourceContext(tenant, projectId));
  return { type: 'service_account', email: account.clientEmail, sealed };
};

/** As long as that person could connect a project themselves. */
const connectionOfMaker = async (tenant: Tenant): Promise<Connection> => {
  const { createdBy } = await readServiceAccount(tenant);
  if (createdBy === undefined) throw invalid('credentials', 'are required: nobody is known whose access this API key could use');
  const found = await getAll([organizationKey.member(tenant, createdBy), accountKey.user(createdBy)]);
  const [member, profile] = found as [MemberRecord?, UserRecord?];
  if (!member || !roleAtLeast(member.role, 'member')) {
    throw invalid('credentials', 'are required: who made this API key may no longer connect projects here');
  }
  return { type: 'user', userId: createdBy, email: profile?.email ?? member.address };
};
