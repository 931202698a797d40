import type { Server as NetServer } from 'node:net';
import { join } from 'node:path';
import { openUsers, type Users } from './auth-users/index.ts';
import { Faults } from './faults/faults.ts';
import { type Authorize, guard } from './faults/guarded-methods.ts';
import { listen, serve } from './grpc/server.ts';
import { allMethods } from './rpc-methods.ts';
import { type Databases, openDatabases } from './storage/databases.ts';
import { web } from './web/index.ts';

export type { FaultRule } from './faults/fault-rule.ts';
export type { Authorize, Databases, Faults, Users };

/** How to start the embedded Firestore. */
export interface FirestoreOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly host?: string;
  /** One that listens already, in place of a port of its own. */
  readonly server?: NetServer;
  /** Where documents and accounts are kept; without it they last as long as the process. */
  readonly dir?: string;
  /** Whether a database comes to be when it is first used; otherwise it is NOT_FOUND until created. */
  readonly createOnUse?: boolean;
  /** Checks a caller's token; without it every caller is let in. */
  readonly authorize?: Authorize;
  /** Microseconds since 1970; the machine's own clock unless said. */
  readonly clock?: () => number;
  /** Told of errors that are ours. */
  readonly log?: (error: unknown) => void;
}

/** An embedded Firestore that is up, and the handles of its parts. */
export interface Firestore {
  /** `host:port`, as FIRESTORE_EMULATOR_HOST wants it. */
  readonly address: string;
  readonly url: string;
  readonly port: number;
  readonly faults: Faults;
  readonly databases: Databases;
  readonly users: Users;
  stop(): Promise<void>;
}

/** Starts a Firestore that official clients accept; gRPC, REST, accounts and faults share one port. */
export async function startFirestore(options: FirestoreOptions = {}): Promise<Firestore> {
  const { port = 0, host = '127.0.0.1', server: given, dir, createOnUse = true, authorize, clock, log = console.error } = options;
  const databases = openDatabases({
    createOnUse,
    ...(clock && { clock }),
    ...(dir === undefined ? {} : { dir: join(dir, 'firestore') }),
  });
  const users = openUsers(dir === undefined ? undefined : join(dir, 'auth-users'));
  const faults = new Faults();
  const methods = guard(allMethods(databases), faults, authorize);
  const listening = given ?? (await listen(port, host));
  const server = serve({ server: listening, methods, log, web: web({ methods, databases, faults, users, authorize, log }) });
  const address = `${host}:${server.port}`;
  return {
    address,
    url: `http://${address}`,
    port: server.port,
    faults,
    databases,
    users,
    stop: async () => {
      await server.close();
      await databases.close();
    },
  };
}
