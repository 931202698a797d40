/** Access tokens for a project's source: a person's grant, or the Google service account given at connection. */
import { googleScopes, grantAccessToken } from '../account/index.ts';
import { SourceError, type TokenSupplier } from '../firestore/index.ts';
import { organizationKey } from '../organization/index.ts';
import {
  type AccessToken,
  clock,
  get,
  googleAccessToken,
  openSecret,
  sealSecret,
  type Tenant,
  TokenError,
} from '../platform/index.ts';
import type { Connection, ProjectRecord } from './record.ts';

/** What a token is wanted for. */
export type Access = 'documents' | 'users';

/** A token that ends within this is not begun with. */
const marginMs = 60_000;

type Connected = Pick<ProjectRecord, 'id' | 'connection'>;

/** Keeps its token as long as it lives, for this one project: no token is ever shared between two. */
export const sourceToken = (tenant: Tenant, project: Connected, access: Access = 'documents'): TokenSupplier => {
  let kept: AccessToken | undefined;
  let asking: Promise<AccessToken> | undefined;
  return async ({ refresh }) => {
    if (!refresh && kept && kept.expiresAtMs - marginMs > clock.now().getTime()) return kept.token;
    asking ??= ask(tenant, project, access).finally(() => {
      asking = undefined;
    });
    kept = await asking;
    return kept.token;
  };
};

/** A refusal for good is the source's; whatever else fails may be tried again. */
const ask = async (tenant: Tenant, project: Connected, access: Access): Promise<AccessToken> => {
  try {
    return await askUnjudged(tenant, project, access);
  } catch (error) {
    if (error instanceof TokenError && !error.isTransient) throw new SourceError('SOURCE_AUTH_ERROR', error.message);
    if (unopenable.includes((error as Error).name)) {
      const message = 'The stored credentials can no longer be opened; reconnect the project';
      throw new SourceError('SOURCE_AUTH_ERROR', message, { cause: error });
    }
    throw error;
  }
};

/** KMS, of what was not sealed for this very project or by a key that is gone. */
const unopenable = ['InvalidCiphertextException', 'IncorrectKeyException', 'NotFoundException'];

/** Firestore needs the first; the Identity Toolkit any of the others. */
const accountScopes: Readonly<Record<Access, readonly string[]>> = {
  documents: [googleScopes.datastore],
  users: [
    googleScopes.cloudPlatform,
    'https://www.googleapis.com/auth/identitytoolkit',
    'https://www.googleapis.com/auth/firebase',
  ],
};

const grantScopes: Readonly<Record<Access, readonly string[]>> = {
  documents: [googleScopes.datastore],
  users: [googleScopes.cloudPlatform],
};

const askUnjudged = async (tenant: Tenant, { id, connection }: Connected, access: Access): Promise<AccessToken> => {
  if (connection.type === 'service_account') {
    const privateKey = await openSecret(connection.sealed, sourceContext(tenant, id));
    return googleAccessToken({ clientEmail: connection.email, privateKey }, accountScopes[access]);
  }
  // A grant stays with its person: who has left the organization no longer lends it theirs.
  if (!(await get(organizationKey.member(tenant, connection.userId)))) {
    const message = 'The person whose access the project used is no longer a member; reconnect the project';
    throw new TokenError(message, { isTransient: false });
  }
  return grantAccessToken(connection.userId, grantScopes[access]);
};

/** The same access for the same project in another organization. */
export const moveConnection = async (from: Tenant, to: Tenant, { id, connection }: Connected): Promise<Connection> => {
  if (connection.type === 'user') return connection;
  const privateKey = await openSecret(connection.sealed, sourceContext(from, id));
  return { ...connection, sealed: await sealSecret(privateKey, sourceContext(to, id)) };
};

/** What a Google private key is sealed for: this project in this organization and nothing else. */
export const sourceContext = (tenant: Tenant, projectId: string) => ({
  organization: tenant.organizationId,
  project: projectId,
  purpose: 'source-credentials',
});
