/** Projects with Firebase Authentication users, behind a proxy that can lose responses and refuse calls. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import type { User } from '../../../../infra/local/engines/firestore/auth-users/users.ts';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { listAuthUsers } from '../../../../shared/project/index.ts';
import type { RestoreDeps } from '../../../../shared/restore/index.ts';
import { createEnv } from '../backup-env.ts';
import { RestoreEnv } from '../restore-env.ts';

export interface ToolkitCall {
  readonly project: string;
  readonly verb: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** `lost`: the call is executed, but its response is lost. */
export type CallOutcome = 'lost' | { readonly status: number; readonly message: string } | undefined;

export const createUsersEnv = async (): Promise<UsersEnv> => {
  const t = await createEnv(UsersEnv);
  const proxy = createServer((request, response) => t.forward(request, response));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.toolkitUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  afterAll(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return t;
};

export class UsersEnv extends RestoreEnv {
  toolkitUrl = '';
  calls: ToolkitCall[] = [];
  outcomeOf: (call: ToolkitCall) => CallOutcome | Promise<CallOutcome> = () => undefined;
  /** True: requesting a token crashes. */
  isDead: () => boolean = () => false;

  override reset(sourceProjectId?: string): void {
    super.reset(sourceProjectId);
    this.calls = [];
    this.outcomeOf = () => undefined;
    this.isDead = () => false;
  }

  protected override createDeps(): RestoreDeps {
    const openToolkit: RestoreDeps['openToolkit'] = (_tenant, { sourceProjectId }) => ({
      endpoint: this.toolkitUrl,
      sourceProjectId,
      token: async () => {
        if (this.isDead()) throw new SourceError('INTERNAL_ERROR', 'the machine died', { isTransient: true });
        return this.token();
      },
    });
    return {
      ...super.createDeps(),
      openToolkit,
      readAuthUsers: (tenant, project, signal) => listAuthUsers(this.deps.openToolkit(tenant, project), signal),
    };
  }

  /** Forwards a call to the server, or applies its outcome. */
  async forward(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const [, project = '', verb = ''] = /\/projects\/([^/]+)\/(?:accounts:)?(\w+)/.exec(request.url ?? '') ?? [];
    const call = { project, verb, body: text === '' ? {} : JSON.parse(text) };
    this.calls.push(call);
    const outcome = await this.outcomeOf(call);
    if (outcome && outcome !== 'lost') {
      const error = { code: outcome.status, message: outcome.message };
      return response.writeHead(outcome.status).end(JSON.stringify({ error }));
    }
    const { authorization = '' } = request.headers;
    const post = text === '' ? {} : { method: 'POST', body: text };
    const answer = await fetch(new URL(request.url ?? '/', this.server.url), { ...post, headers: { authorization } });
    const body = await answer.text();
    if (outcome === 'lost') return response.destroy();
    return response.writeHead(answer.status).end(body);
  }

  #poolOf(side: 'source' | 'target'): string {
    return side === 'source' ? this.sourceProjectId : this.targetProjectId;
  }

  putUsers(side: 'source' | 'target', users: readonly User[]): void {
    this.server.users.put(this.#poolOf(side), users);
  }

  removeUsers(side: 'source' | 'target', ids: readonly string[]): void {
    this.server.users.delete(this.#poolOf(side), ids);
  }

  /** All stored users, by id. */
  usersOf(side: 'source' | 'target'): readonly User[] {
    return this.server.users.list(this.#poolOf(side), '', 100_000);
  }
}

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
