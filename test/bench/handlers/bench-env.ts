/** An organization with members, created through the handlers, and a successful call of each endpoint. */

import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { contract } from '../../../shared/contract/index.ts';
import type { Handler } from '../../../shared/http/index.ts';
import { newId } from '../../../shared/platform/index.ts';
import { eventOf } from '../../harness/aws/api-event.ts';
import { tokenFor } from '../../harness/aws/signing-key.ts';
import type { Attributes } from '../../harness/table/expression.ts';
import { table } from './in-process-aws.ts';

/** Endpoints that call the identity provider, or need a sign-in. */
const signIn = new Set(['auth.google', 'auth.callback', 'auth.token', 'auth.refresh']);
const covered = new Set(['auth', 'organizations', 'members', 'invites', 'invitations', 'serviceAccount', 'auditLogs', 'system']);

/** Whether a call of this endpoint can succeed here: there are people and an organization, but no project, bucket or backup. */
export const isCovered = ({ id }: Pick<Endpoint, 'id'>): boolean => covered.has(id.split('.')[0] ?? '') && !signIn.has(id);

type Call = (endpoint: Endpoint) => Promise<string>;

export interface BenchEnv {
  /** Resets the table to the state before any call of this endpoint. */
  set(endpoint: Endpoint): void;
  call: Call;
}

interface SignedInUser {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

/** Creates a user with a session. */
const signedInUser = (): SignedInUser => {
  const [id, session] = [newId('user'), newId('session')];
  const email = `${id.toLowerCase()}@example.com`;
  const now = new Date().toISOString();
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const times = { createdAt: now, updatedAt: now };
  table.put({ pk: `USER#${id}`, sk: 'PROFILE', id, email, emailVerified: true, name: 'Ada', picture: null, ...times });
  table.put({ pk: `SESSION#${session}`, sk: 'SESSION', id: session, userId: id, createdAt: now, endsAt: nowSeconds + 100_000 });
  return { id, email, token: tokenFor(id, session, nowSeconds) };
};

export const createBenchEnv = async (handlerFor: (endpoint: Endpoint) => Handler): Promise<BenchEnv> => {
  let calls = 0;
  const [owner, member, invited] = [signedInUser(), signedInUser(), signedInUser()];
  const params: Record<string, string> = { userId: member.id };
  let caller = owner;
  let invitee = member.email;
  const bodies: Readonly<Record<string, () => object>> = {
    'organizations.create': () => ({ name: `Bench ${calls}` }),
    'organizations.update': () => ({ name: `Bench ${calls}` }),
    'organizations.remove': () => ({ confirmName: 'Bench 1' }),
    'members.update': () => ({ role: 'member' }),
    'invites.create': () => ({ email: invitee || `person${calls}@example.com`, role: 'viewer' }),
    'serviceAccount.create': () => ({ name: 'Bench', permissions: ['organization:read'] }),
    'serviceAccount.update': () => ({ name: `Bench ${calls}` }),
  };

  const call: Call = async (endpoint) => {
    calls += 1;
    const body = bodies[endpoint.id]?.();
    const event = eventOf({
      method: endpoint.method,
      path: endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? ''),
      headers: {
        authorization: `Bearer ${caller.token}`,
        'x-organization-id': params.id ?? '',
        'user-agent': 'bench/1',
        ...(body && { 'content-type': 'application/json' }),
      },
      params,
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await handlerFor(endpoint)(event);
    if ((answer.statusCode ?? 500) >= 300) throw new Error(`${endpoint.id} answered ${answer.statusCode} ${answer.body}`);
    return answer.body ?? '';
  };
  const dataOf = async (endpoint: Endpoint) => (JSON.parse(await call(endpoint)) as { data: Record<string, string> }).data;

  const { organizations, invites, invitations, serviceAccount } = contract;
  params.id = (await dataOf(organizations.create)).id ?? '';
  params.token = (await dataOf(invites.create)).acceptUrl?.split('/').at(-1) ?? '';
  caller = member;
  await call(invitations.accept);
  caller = owner;
  invitee = invited.email;
  const open = await dataOf(invites.create);
  params.inviteId = open.id ?? '';
  params.token = open.acceptUrl?.split('/').at(-1) ?? '';
  invitee = '';
  const withoutAccount = new Map(table.items);
  await call(serviceAccount.create);
  const whole = new Map(table.items);
  await call(organizations.remove);
  const deleted = new Map(table.items);

  const states: Readonly<Record<string, Map<string, Attributes>>> = {
    'serviceAccount.create': withoutAccount,
    'organizations.recover': deleted,
  };
  const callers: Readonly<Record<string, SignedInUser>> = {
    'invitations.accept': invited,
    'invitations.decline': invited,
    'organizations.leave': member,
  };
  const set = ({ id }: Endpoint): void => {
    table.items.clear();
    for (const [name, item] of states[id] ?? whole) table.items.set(name, structuredClone(item));
    caller = callers[id] ?? owner;
  };
  return { set, call };
};
