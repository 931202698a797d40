import { createRequire } from 'node:module';
import firestore, { Firestore as Client, type v1 } from '@google-cloud/firestore';
import type { Firestore } from '../../../infra/local/engines/firestore/index.ts';

/** The official client, connected to a local server. */
export const clientOf = (server: Firestore, projectId = 'demo', settings: object = {}): Client =>
  new Client({ projectId, host: server.address, ssl: false, ...settings });

/** The generated low-level client, which sends requests unchanged. */
export function rawClientOf(server: Firestore): InstanceType<typeof v1.FirestoreClient> {
  const { grpc } = createRequire(import.meta.resolve('@google-cloud/firestore'))('google-gax') as {
    grpc: { credentials: { createInsecure(): unknown } };
  };
  return new firestore.v1.FirestoreClient({
    servicePath: '127.0.0.1',
    port: server.port,
    sslCreds: grpc.credentials.createInsecure(),
  } as never);
}

/** Static credentials: the token that every emulator accepts. */
export function ownerOf(): object {
  const gax = createRequire(createRequire(import.meta.url).resolve('@google-cloud/firestore')).resolve('google-gax');
  const { OAuth2Client } = createRequire(gax)('google-auth-library') as {
    OAuth2Client: new () => { setCredentials(c: object): void };
  };
  const owner = new OAuth2Client();
  owner.setCredentials({ access_token: 'owner' });
  return owner;
}

/** The code and message of the error of a call. */
export async function failure(call: Promise<unknown>): Promise<{ readonly code: unknown; readonly details: string }> {
  try {
    await call;
  } catch (error) {
    const { code, details, message } = error as { code?: unknown; details?: string; message: string };
    return { code, details: details ?? message };
  }
  throw new Error('the call did not fail');
}
