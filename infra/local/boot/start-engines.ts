/** Starts the engines of a stage concurrently and stops those that were started. */
import { randomBytes } from 'node:crypto';
import { type LoopbackServer, openLoopbackServer, type Port } from '../base/loopback-server.ts';
import { type Settings, StartError } from '../base/settings.ts';
import type { State } from '../base/stage-state.ts';
import type { Aws, AwsOptions } from '../base/types.ts';
import type { Authorize, Firestore } from '../engines/firestore/index.ts';

/** Stop functions in the order of starting. */
export type StopFunctions = (() => unknown)[];

/** Stops in reverse order. A failure does not prevent the other stops; the first failure is thrown at the end. */
export const stopAll = async (started: StopFunctions): Promise<void> => {
  const failures: unknown[] = [];
  for (const each of started.splice(0).reverse()) {
    try {
      await each();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
};

/** Registers the stop before the start has finished: a failing boot then waits for what starts and stops it. */
export const register = <T extends { stop(): unknown }>(started: StopFunctions, starting: Promise<T>): Promise<T> => {
  started.push(async () => (await starting.catch(() => undefined))?.stop());
  return starting;
};

export const startAwsEngines = async (options: AwsOptions): Promise<Aws> =>
  (await import('../aws/start-aws.ts')).startAws(options);

export const startIdentityEngine = async (options: {
  issuer: string;
  apiUrl: string;
  clientId: string;
  clientSecret: string;
  state: State;
  callerIdentity: Aws['callerIdentity'];
}) => {
  const { startIdentity } = await import('../engines/identity/identity-engine.ts');
  const signInUrl = `${options.apiUrl}/api/v1/auth/google`;
  return startIdentity({ ...options, signInUrl, redirectUri: `${signInUrl}/callback` });
};

/** Generated once, because the provider and the secret store must agree on it at every start. */
export const clientSecretOf = (state: State): string => {
  const secret = state.get<string>('identity-client', 'secret') ?? randomBytes(24).toString('base64url');
  state.set('identity-client', 'secret', secret);
  return secret;
};

const gcsPortWanted = 4443;

/** The chosen port, else the default port, else (if that is in use) any port. */
export const openGcsServer = (chosen: number | undefined, host?: string): Promise<LoopbackServer> =>
  chosen === undefined
    ? openLoopbackServer(gcsPortWanted, 'GCS_PORT', { host }).catch(() => openLoopbackServer(0, 'GCS_PORT', { host }))
    : openLoopbackServer(chosen, 'GCS_PORT', { host });

/** Customers' Cloud Storage buckets. */
export const startGcsEngine = async (dir: string, state: State) => {
  const [{ startGcs }, { authorizeFederatedStorage }] = await Promise.all([
    import('../engines/gcs/index.ts'),
    import('./authorize-federated.ts'),
  ]);
  return startGcs({ dir, authorize: authorizeFederatedStorage(state) });
};

/** The Firestore that is backed up. Official clients reach it on its own port. */
export const startFirestoreEngine = async (
  { server }: Port,
  { dir, firestoreIndexes }: Pick<Settings, 'dir' | 'firestoreIndexes'>,
  state: State,
): Promise<Firestore> => {
  const [{ startFirestore }, { checkSimulatedRefusal }, { authorizeFederated }] = await Promise.all([
    import('../engines/firestore/index.ts'),
    import('./simulated-refusals.ts'),
    import('./authorize-federated.ts'),
  ]);
  const federated = authorizeFederated(state);
  const authorize: Authorize = async (...call) => {
    await checkSimulatedRefusal(...call);
    await federated(...call);
  };
  try {
    return await startFirestore({ server, dir, authorize, indexes: firestoreIndexes });
  } catch (error) {
    const { message } = error as Error;
    throw message.startsWith('invalid index definitions') ? new StartError(`FIRESTORE_INDEXES: ${message}`) : error;
  }
};
