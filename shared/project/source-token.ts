/** Access tokens for a project's source: by a user's grant, the project's Google service account, or its trust in this organization. */
import { googleScopes, grantAccessToken } from '../account/index.ts';
import { SourceError, type TokenSupplier } from '../firestore/index.ts';
import { organizationKey } from '../organization/index.ts';
import {
  type AccessToken,
  clock,
  federatedAccessToken,
  get,
  googleAccessToken,
  openSecret,
  sealSecret,
  type Tenant,
  TokenError,
} from '../platform/index.ts';
import type { Connection, ProjectRecord } from './record.ts';

/** The API that a token is for. */
type Access = 'documents' | 'users' | 'rules';

/** A token that expires within this time is replaced. */
const marginMs = 60_000;

type Connected = Pick<ProjectRecord, 'id' | 'connection'>;

/** Caches its token until it expires. Projects never share a token. */
export const sourceToken = (tenant: Tenant, project: Connected, access: Access = 'documents'): TokenSupplier => {
  let cached: AccessToken | undefined;
  let requested: Promise<AccessToken> | undefined;
  return async ({ refresh }) => {
    if (!refresh && cached && cached.expiresAtMs - marginMs > clock.now().getTime()) return cached.token;
    requested ??= requestToken(tenant, project, access).finally(() => {
      requested = undefined;
    });
    cached = await requested;
    return cached.token;
  };
};

/** A permanent rejection becomes a SourceError; other errors may be retried. */
const requestToken = async (tenant: Tenant, project: Connected, access: Access): Promise<AccessToken> => {
  try {
    return await fetchToken(tenant, project, access);
  } catch (error) {
    if (error instanceof TokenError && !error.isTransient) throw new SourceError('SOURCE_AUTH_ERROR', error.message);
    if (undecryptable.includes((error as Error).name)) {
      const message = 'The stored credentials can no longer be decrypted; reconnect the project';
      throw new SourceError('SOURCE_AUTH_ERROR', message, { cause: error });
    }
    throw error;
  }
};

/** KMS errors for data that was encrypted for another project or with a deleted key. */
const undecryptable = ['InvalidCiphertextException', 'IncorrectKeyException', 'NotFoundException'];

/** The Identity Toolkit accepts any of the scopes for users. */
const accountScopes: Readonly<Record<Access, readonly string[]>> = {
  documents: [googleScopes.datastore],
  users: [
    googleScopes.cloudPlatform,
    'https://www.googleapis.com/auth/identitytoolkit',
    'https://www.googleapis.com/auth/firebase',
  ],
  rules: [googleScopes.cloudPlatform, 'https://www.googleapis.com/auth/firebase'],
};

const grantScopes: Readonly<Record<Access, readonly string[]>> = {
  documents: [googleScopes.datastore],
  users: [googleScopes.cloudPlatform],
  rules: [googleScopes.cloudPlatform],
};

const fetchToken = async (tenant: Tenant, { id, connection }: Connected, access: Access): Promise<AccessToken> => {
  if (!isComplete(connection)) throw new TokenError(connectionMissing, { isTransient: false });
  if (connection.type === 'service_account') {
    const privateKey = await openSecret(connection.sealed, sourceContext(tenant, id));
    return googleAccessToken({ clientEmail: connection.email, privateKey }, accountScopes[access]);
  }
  if (connection.type === 'workload_identity') {
    const { audience, email } = connection;
    const identity = { audience, sessionName: tenant.organizationId, serviceAccountEmail: email || undefined };
    return federatedAccessToken(identity, accountScopes[access]);
  }
  // The grant of a user who has left the organization must not be used.
  if (!(await get(organizationKey.member(tenant, connection.userId)))) {
    const message = 'The user whose access the project uses is no longer a member; reconnect the project';
    throw new TokenError(message, { isTransient: false });
  }
  return grantAccessToken(connection.userId, grantScopes[access]);
};

const connectionMissing = 'The connection of the project stayed in its former organization; reconnect the project';

type CompleteConnection =
  | Required<Extract<Connection, { type: 'user' }>>
  | Required<Extract<Connection, { type: 'service_account' }>>
  | Required<Extract<Connection, { type: 'workload_identity' }>>;

/** Whether the connection has what it needs to request a token. */
export const isComplete = (connection: Connection): connection is CompleteConnection => secretOf(connection) !== undefined;

const secretOf = (connection: Connection): unknown => {
  if (connection.type === 'user') return connection.userId;
  return connection.type === 'service_account' ? connection.sealed : connection.audience;
};

/** Re-encrypts the connection of a project for another organization. A pool trusts only the former one, so that connection stays. */
export const moveConnection = async (from: Tenant, to: Tenant, { id, connection }: Connected): Promise<Connection> => {
  if (connection.type === 'workload_identity') return { type: connection.type, email: connection.email };
  if (connection.type === 'user' || !connection.sealed) return connection;
  const privateKey = await openSecret(connection.sealed, sourceContext(from, id));
  return { ...connection, sealed: await sealSecret(privateKey, sourceContext(to, id)) };
};

/** The KMS encryption context of a Google private key: one project of one organization. */
export const sourceContext = (tenant: Tenant, projectId: string) => ({
  organization: tenant.organizationId,
  project: projectId,
  purpose: 'source-credentials',
});
