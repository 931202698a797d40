import type { Server as NetServer } from 'node:net';
import { join } from 'node:path';
import { openUsers, type User, type Users } from './auth-users/index.ts';
import { Faults } from './faults/faults.ts';
import { type Authorize, guardMethods } from './faults/guard-methods.ts';
import { listen, serve } from './grpc/server.ts';
import { IndexDefinitions } from './indexes/index-definitions.ts';
import { rpcMethods } from './rpc-methods.ts';
import { openRules } from './rules/rulesets.ts';
import type { BaseDocuments } from './storage/base-documents.ts';
import { type Databases, openDatabases } from './storage/databases.ts';
import type { Origins } from './web/cors.ts';
import { web } from './web/index.ts';
import { webChannels } from './web-channel/index.ts';

export { below, depth, keyPath, keyPrefix, lastKey, pathKey } from './base/path-key.ts';
export { type PathKey, RpcError, type StoredDocument } from './base/types.ts';
export type { FaultRule } from './faults/fault-rule.ts';
export type { BaseDocuments, ScanOptions } from './storage/base-documents.ts';
export { readDocumentHead } from './value/encode-document.ts';
export { messageOfJson } from './web/encode-json.ts';
export type { Authorize, Databases, Faults, User, Users };

export interface FirestoreOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  readonly host?: string;
  /** A listening server, instead of a port. */
  readonly server?: NetServer;
  /** The folder of documents and accounts; without it they are kept in memory. */
  readonly dir?: string;
  /** Whether the first use creates a database; otherwise it is NOT_FOUND until created. */
  readonly createOnUse?: boolean;
  /** Checks a caller's token; without it every caller is accepted. */
  readonly authorize?: Authorize;
  /** The text of a `firestore.indexes.json`. With it, queries without an index fail as in production. */
  readonly indexes?: string | undefined;
  /** How long the Admin API reports an index as CREATING. Default: 2 s. */
  readonly indexBuildMs?: number | undefined;
  /** What databases contain where nothing was written, by full name (`projects/p/databases/d`). They exist from the start. */
  readonly bases?: ReadonlyMap<string, BaseDocuments>;
  /** Which pages of browsers may use it, other than those of this machine. Default: any, as with Google's emulator. */
  readonly origins?: Origins;
  /** Microseconds since 1970. Default: the system clock. */
  readonly clock?: () => number;
  /** Receives internal errors. */
  readonly log?: (error: unknown) => void;
}

/** A running embedded Firestore and its parts. */
export interface Firestore {
  /** `host:port`, the value for FIRESTORE_EMULATOR_HOST. */
  readonly address: string;
  readonly url: string;
  readonly port: number;
  readonly faults: Faults;
  readonly databases: Databases;
  readonly users: Users;
  stop(): Promise<void>;
}

/** There is no access control for other machines, and the admin calls change everything. */
const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host);

/** Starts a Firestore for official clients; gRPC, REST, accounts and faults share one port. */
export async function startFirestore(options: FirestoreOptions = {}): Promise<Firestore> {
  const {
    port = 0,
    host = '127.0.0.1',
    server: given,
    dir,
    createOnUse = true,
    authorize,
    clock,
    bases,
    origins = 'any',
    log = console.error,
  } = options;
  if (!isLoopback(host)) throw new Error(`host ${host}: must be a loopback address`);
  // An invalid file is an error of the start, not of the first database.
  if (options.indexes !== undefined) new IndexDefinitions(options.indexes);
  const databases = openDatabases({
    createOnUse,
    bases,
    ...(clock && { clock }),
    indexes: options.indexes,
    indexBuildMs: options.indexBuildMs,
    ...(dir === undefined ? {} : { dir: join(dir, 'firestore') }),
  });
  const users = openUsers(dir === undefined ? undefined : join(dir, 'auth-users'));
  const rules = openRules(dir === undefined ? undefined : join(dir, 'firebase-rules'));
  const faults = new Faults();
  const methods = guardMethods(rpcMethods(databases), faults, authorize);
  const listening = given ?? (await listen(port, host));
  const channels = webChannels({ methods, log });
  const http1 = web({ methods, databases, faults, users, rules, authorize, origins, channels: channels.serve, log });
  const server = serve({ server: listening, methods, log, web: http1 });
  const address = `${host}:${server.port}`;
  return {
    address,
    url: `http://${address}`,
    port: server.port,
    faults,
    databases,
    users,
    stop: async () => {
      channels.close();
      await server.close();
      await databases.close();
    },
  };
}
