import { accountKey } from '../account/index.ts';
import type { Actor } from '../audit/index.ts';
import { roleAtLeast } from '../contract/access.ts';
import { ApiError, invalid } from '../contract/errors.ts';
import type { WorkloadIdentityInput } from '../contract/workload-identity.ts';
import { grantorOf, organizationKey, readApiKey, readServiceAccount } from '../organization/index.ts';
import { type GoogleAccount, getAll, readPrivateKey, sealSecret, type Tenant, walk } from '../platform/index.ts';
import { type Connection, type ProjectRecord, projectPrefix } from './record.ts';
import { isComplete, sourceContext } from './source-token.ts';
import { workloadIdentityConnection } from './workload-identity-connection.ts';

interface ConnectionInput {
  readonly project: Pick<ProjectRecord, 'id' | 'sourceProjectId' | 'databaseId'> & Partial<Pick<ProjectRecord, 'connection'>>;
  readonly actor: Actor;
  readonly credentials: GoogleAccount | undefined;
  readonly workloadIdentity: WorkloadIdentityInput | undefined;
}

/** Uses the given credentials or workload identity, or the caller's own grant. For an API key that is the grant of who made, rotated or widened it last. */
export const chooseConnection = async (tenant: Tenant, input: ConnectionInput): Promise<Connection> => {
  const { project, actor, credentials, workloadIdentity } = input;
  if (credentials && workloadIdentity) throw invalid('workloadIdentity', 'cannot be combined with credentials');
  if (workloadIdentity) return workloadIdentityConnection(tenant, workloadIdentity);
  if (credentials) return serviceAccountConnection(tenant, project.id, credentials);
  if (actor.type === 'user') return { type: 'user', userId: actor.id, email: actor.email ?? '' };
  if (!(project.connection ? isComplete(project.connection) : await isConnected(tenant, project)))
    throw databaseNotConnected(project);
  return grantorConnection(tenant, actor);
};

type Database = Pick<ProjectRecord, 'sourceProjectId' | 'databaseId'>;

/** The grant of a person reaches all their databases; an API key may use it only for those that the organization uses. */
const isConnected = async (tenant: Tenant, { sourceProjectId, databaseId }: Database): Promise<boolean> => {
  const where = { sourceProjectId, databaseId, status: 'connected' };
  for await (const _ of walk<ProjectRecord>({ pk: `ORG#${tenant.organizationId}`, prefix: projectPrefix, where })) return true;
  return false;
};

const databaseNotConnected = ({ sourceProjectId, databaseId }: Database): ApiError =>
  new ApiError(
    'FORBIDDEN',
    'An API key can connect a database of a Google project without credentials only if the organization has connected it before',
    { sourceProjectId, databaseId },
  );

const serviceAccountConnection = async (tenant: Tenant, projectId: string, account: GoogleAccount): Promise<Connection> => {
  if (!readPrivateKey(account.privateKey)) throw invalid('credentials.privateKey', 'must be an RSA private key in PEM form');
  const sealed = await sealSecret(account.privateKey, sourceContext(tenant, projectId));
  return { type: 'service_account', email: account.clientEmail, sealed };
};

/** Requires that the person may still connect projects. */
const grantorConnection = async (tenant: Tenant, actor: Actor): Promise<Connection> => {
  const userId =
    actor.type === 'api_key' ? grantorOf(await readApiKey(tenant, actor.id)).id : (await readServiceAccount(tenant)).createdBy;
  if (userId === undefined) throw invalid('credentials', 'are required: the creator of this API key is unknown');
  const [member, profile] = await getAll([organizationKey.member(tenant, userId), accountKey.user(userId)]);
  if (!member || !roleAtLeast(member.role, 'member')) {
    throw invalid('credentials', 'are required: the person who granted this API key may no longer connect projects');
  }
  return { type: 'user', userId, email: profile?.email ?? member.address };
};
