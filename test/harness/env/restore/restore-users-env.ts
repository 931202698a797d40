/** Projects with Firebase Authentication users, behind a proxy that can lose responses and refuse calls. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { User } from '../../../../infra/local/engines/firestore/auth-users/users.ts';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { listAuthUsers } from '../../../../shared/project/index.ts';
import { createRestoreEnv, type RestoreEnv, server } from '../restore-env.ts';

export interface ToolkitCall {
  readonly project: string;
  readonly verb: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** `lost`: the call is executed, but its response is lost. */
export type CallOutcome = 'lost' | { readonly status: number; readonly message: string } | undefined;

export interface UsersEnv extends RestoreEnv {
  readonly calls: ToolkitCall[];
  outcomeOf: (call: ToolkitCall) => CallOutcome | Promise<CallOutcome>;
  /** True: requesting a token crashes. */
  isDead: () => boolean;
}

let world: UsersEnv;
const front = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const [, project = '', verb = ''] = /\/projects\/([^/]+)\/(?:accounts:)?(\w+)/.exec(request.url ?? '') ?? [];
  const call = { project, verb, body: text === '' ? {} : JSON.parse(text) };
  world.calls.push(call);
  const outcome = await world.outcomeOf(call);
  if (outcome && outcome !== 'lost')
    return response.writeHead(outcome.status).end(JSON.stringify({ error: { code: outcome.status, message: outcome.message } }));
  const { authorization = '' } = request.headers;
  const post = text === '' ? {} : { method: 'POST', body: text };
  const answer = await fetch(new URL(request.url ?? '/', server.url), { ...post, headers: { authorization } });
  const body = await answer.text();
  if (outcome === 'lost') return response.destroy();
  return response.writeHead(answer.status).end(body);
});
beforeAll(() => new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  front.close();
  front.closeAllConnections();
  await server.stop();
});

export const createUsersEnv = (): UsersEnv => {
  const restoring = createRestoreEnv();
  const { engine } = restoring;
  const endpoint = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  Object.assign(engine, {
    openToolkit: (_tenant, { sourceProjectId }) => ({
      endpoint,
      sourceProjectId,
      token: async () => {
        if (world.isDead()) throw new SourceError('INTERNAL_ERROR', 'the machine died', { isTransient: true });
        return world.token();
      },
    }),
    readAuthUsers: (tenant, project, signal) => listAuthUsers(engine.openToolkit(tenant, project), signal),
  } satisfies Partial<typeof engine>);
  world = Object.assign(restoring, { calls: [], outcomeOf: () => undefined, isDead: () => false });
  return world;
};

const poolOf = (of: 'source' | 'target'): string => (of === 'source' ? world.sourceProjectId : world.targetProjectId);

export const putUsers = (of: 'source' | 'target', users: readonly User[]): void => server.users.put(poolOf(of), users);
export const removeUsers = (of: 'source' | 'target', ids: readonly string[]): void => server.users.delete(poolOf(of), ids);

/** All stored users, by id. */
export const usersOf = (of: 'source' | 'target'): readonly User[] => server.users.list(poolOf(of), '', 100_000);

/** A user that signed up with a password, as the service shows it. */
export const withPassword = (localId: string, more: object = {}): User => {
  const email = `${localId}@example.com`;
  return {
    localId,
    email,
    emailVerified: true,
    disabled: false,
    createdAt: '1700000000123',
    lastLoginAt: '1700000000456',
    validSince: '1700000000',
    customAttributes: '{"role":"ü"}',
    passwordHash: Buffer.from(`>>>???hash of ${localId}`).toString('base64url'),
    salt: Buffer.from(`>>>???salt of ${localId}`).toString('base64url'),
    passwordUpdatedAt: 1700000000123,
    providerUserInfo: [
      { providerId: 'google.com', rawId: `g-${localId}` },
      { providerId: 'password', rawId: email, ...{ email, federatedId: email } },
    ],
    ...more,
  };
};

/** A user that signed up without a password. */
export const withoutPassword = (localId: string, more: object = {}): User => ({
  localId,
  emailVerified: false,
  disabled: false,
  createdAt: '1700000000789',
  validSince: '1700000000',
  providerUserInfo: [],
  ...more,
});
