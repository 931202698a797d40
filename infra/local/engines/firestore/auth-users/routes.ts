import { createHash, randomBytes } from 'node:crypto';
import { AuthError } from './error.ts';
import { asStored, ImportRequest, importUsers } from './import.ts';
import type { User, Users } from './users.ts';

/** A call of the Identity Toolkit's REST API. */
export interface AuthRequest {
  readonly method: string;
  /** Without host, and without the `identitytoolkit.googleapis.com` prefix of the Auth emulator. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly now: number;
}

type Body = Readonly<Record<string, unknown>>;
type PoolRequest = AuthRequest & { readonly pool: string };
type Action = (users: Users, body: Body, request: PoolRequest) => unknown;

const accounts = /^\/v1\/projects\/([^/:]+)(?:\/tenants\/([^/:]+))?\/accounts(?::(\w+))?$/;
const config = /^\/(?:v2|admin\/v2)\/projects\/([^/:]+)\/config$/;

const actions: Readonly<Record<string, Action>> = {
  'GET batchGet': (users, _body, { pool, query }) => list(users, pool, query),
  'POST batchCreate': (users, body, { pool, now }) => importUsers(users, { pool, request: parsed(body), now }),
  'POST ': create,
  'POST lookup': lookup,
  'POST update': update,
  'POST delete': (users, body, { pool }) => {
    const user = existing(users, pool, body.localId);
    users.delete(pool, [user.localId]);
    return { kind: 'identitytoolkit#DeleteAccountResponse' };
  },
  'POST batchDelete': batchDelete,
};

/** Finds the handler of an account call and its project; undefined if the path is not one. */
export function authRoutes(users: Users, request: AuthRequest): { readonly project: string; run(): unknown } | undefined {
  const configured = config.exec(request.path)?.[1];
  if (configured !== undefined && request.method === 'GET') return { project: configured, run: () => projectConfig(configured) };
  const [, project, tenant, verb = ''] = accounts.exec(request.path) ?? [];
  const action = actions[`${request.method} ${verb}`];
  if (project === undefined || !action) return undefined;
  const body = (typeof request.body === 'object' && request.body !== null ? request.body : {}) as Body;
  const pool = [project, tenant ?? body.tenantId ?? request.query.get('tenantId')].filter(Boolean).join('/');
  return { project, run: () => action(users, body, { ...request, pool }) };
}

/** The password hash parameters of a project. They never change, so hashes stay valid. */
function projectConfig(project: string) {
  const key = createHash('sha512').update(project).digest();
  const hashConfig = {
    algorithm: 'SCRYPT',
    signerKey: key.toString('base64'),
    saltSeparator: 'Bw==',
    rounds: 8,
    memoryCost: 14,
  };
  return { name: `projects/${project}/config`, signIn: { email: { enabled: true, passwordRequired: true }, hashConfig } };
}

function parsed(body: Body): ImportRequest {
  const result = ImportRequest.safeParse(body);
  if (!result.success) throw new AuthError(400, `INVALID_ARGUMENT : ${result.error.issues[0]?.message ?? ''}`);
  return result.data;
}

function list(users: Users, pool: string, query: URLSearchParams) {
  const limit = Number(query.get('maxResults') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new AuthError(400, 'INVALID_PAGE_SELECTION');
  const after = Buffer.from(query.get('nextPageToken') ?? '', 'base64url').toString('utf8');
  const found = users.list(pool, after, limit);
  const last = found.at(-1);
  // Like the service, a full page always has a token, even if nothing follows.
  const more = last && found.length === limit ? { nextPageToken: Buffer.from(last.localId).toString('base64url') } : {};
  return { kind: 'identitytoolkit#DownloadAccountResponse', ...(found.length > 0 ? { users: found } : {}), ...more };
}

function create(users: Users, body: Body, { pool, now }: PoolRequest) {
  const { password, ...rest } = body;
  const localId = typeof body.localId === 'string' && body.localId !== '' ? body.localId : randomBytes(21).toString('base64url');
  if (users.get(pool, localId)) throw new AuthError(400, 'DUPLICATE_LOCAL_ID');
  const email = typeof body.email === 'string' ? body.email.toLowerCase() : undefined;
  if (email !== undefined && hasEmail(users, { pool, email })) throw new AuthError(400, 'EMAIL_EXISTS');
  users.put(pool, [asStored({ ...rest, ...hashed(password), localId } as User, now)]);
  return { kind: 'identitytoolkit#SignupNewUserResponse', localId, ...(email === undefined ? {} : { email }) };
}

function hashed(password: unknown): { readonly passwordHash?: string; readonly salt?: string } {
  if (typeof password !== 'string') return {};
  if (password.length < 6) throw new AuthError(400, 'WEAK_PASSWORD : Password should be at least 6 characters');
  const salt = randomBytes(10);
  const passwordHash = createHash('sha512').update(salt).update(password).digest('base64url');
  return { passwordHash, salt: salt.toString('base64url') };
}

const hasEmail = (
  users: Users,
  { pool, email, except }: { readonly pool: string; readonly email: string; readonly except?: string | undefined },
): boolean => [...users.all(pool)].some((user) => user.email === email && user.localId !== except);

function existing(users: Users, pool: string, localId: unknown): User {
  if (typeof localId !== 'string' || localId === '') throw new AuthError(400, 'MISSING_LOCAL_ID');
  const user = users.get(pool, localId);
  if (!user) throw new AuthError(400, 'USER_NOT_FOUND');
  return user;
}

const mostLookedUp = 100;
const redacted = Buffer.from('REDACTED').toString('base64');

/** Shows that a password exists, but not its hash; only a list contains hashes. */
function lookup(users: Users, body: Body, { pool }: PoolRequest) {
  const wanted = (field: string): readonly string[] => (Array.isArray(body[field]) ? (body[field] as unknown[]).map(String) : []);
  const ids = wanted('localId');
  const emails = new Set(wanted('email').map((email) => email.toLowerCase()));
  const phones = new Set(wanted('phoneNumber'));
  if (ids.length + emails.size + phones.size > mostLookedUp) throw new AuthError(400, 'MAXIMUM_USER_COUNT_EXCEEDED');
  const found = new Set(ids.flatMap((id) => users.get(pool, id) ?? []));
  if (emails.size + phones.size > 0)
    for (const user of users.all(pool)) if (emails.has(user.email ?? '') || phones.has(user.phoneNumber ?? '')) found.add(user);
  const shown = [...found].map(({ salt: _, ...user }) =>
    user.passwordHash === undefined ? user : { ...user, passwordHash: redacted },
  );
  return { kind: 'identitytoolkit#GetAccountInfoResponse', ...(shown.length > 0 ? { users: shown } : {}) };
}

function update(users: Users, body: Body, { pool, now }: PoolRequest) {
  const user = existing(users, pool, body.localId);
  const { password, disableUser, deleteAttribute, deleteProvider, ...rest } = body;
  const email = typeof body.email === 'string' ? body.email.toLowerCase() : undefined;
  if (email !== undefined && hasEmail(users, { pool, email, except: user.localId })) throw new AuthError(400, 'EMAIL_EXISTS');
  const changed: Record<string, unknown> = { ...user, ...rest, ...hashed(password) };
  if (typeof disableUser === 'boolean') changed.disabled = disableUser;
  const removed = Array.isArray(deleteAttribute) ? deleteAttribute : [];
  if (removed.includes('DISPLAY_NAME')) delete changed.displayName;
  if (removed.includes('PHOTO_URL')) delete changed.photoUrl;
  if (Array.isArray(deleteProvider) && deleteProvider.includes('phone')) delete changed.phoneNumber;
  users.put(pool, [asStored(changed as User, now)]);
  return { kind: 'identitytoolkit#SetAccountInfoResponse', localId: user.localId };
}

function batchDelete(users: Users, body: Body, { pool }: PoolRequest) {
  const ids = Array.isArray(body.localIds) ? body.localIds.map(String) : [];
  if (ids.length === 0 || ids.length > 1000) throw new AuthError(400, 'LOCAL_ID_LIST_EXCEEDS_LIMIT');
  const kept = ids.filter((id) => body.force !== true && users.get(pool, id)?.disabled === false);
  users.delete(
    pool,
    ids.filter((id) => !kept.includes(id) && users.get(pool, id)),
  );
  const message = 'NOT_DISABLED : Disable the account before batch deletion.';
  const errors = kept.map((localId) => ({ index: ids.indexOf(localId), localId, message }));
  return errors.length > 0 ? { errors } : {};
}
