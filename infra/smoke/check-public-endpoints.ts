/** Steps without credentials: health, API reference, signing keys and the redirect to the identity provider. */
import { type Client, StepError } from './client.ts';
import type { StepRunner } from './step-runner.ts';

const callback = '/api/v1/auth/google/callback';

export const checkPublicEndpoints = async (runner: StepRunner, client: Client, url: string): Promise<void> => {
  await runner.step('health', async () => {
    const { status, version, checks } = await jsonAt<Health>(client, '/health?checks=true', 'version');
    const failing = Object.entries(checks ?? {}).filter(([, check]) => check !== 'ok');
    if (status !== 'healthy') throw new StepError(`${status}: ${failing.map(([name]) => name).join(', ')} failing`);
    return [`${status}, version ${version}`, undefined];
  });
  await runner.step('description', async () => {
    const { openapi, paths } = await jsonAt<{ openapi: string; paths: object }>(client, '/api/v1/openapi.json', 'paths');
    return [`OpenAPI ${openapi}, ${Object.keys(paths).length} paths`, undefined];
  });
  await runner.step('signing keys', async () => {
    const { keys } = await jsonAt<{ keys: readonly unknown[] }>(client, '/.well-known/jwks.json', 'keys');
    if (keys.length === 0) throw new StepError('GET /.well-known/jwks.json has no key');
    return [`${keys.length}`, undefined];
  });
  await runner.step('identity provider', async () => {
    const { status, headers, text } = await client.get('/api/v1/auth/google');
    const location = headers.get('location') ?? '';
    if (status !== 302 || !URL.canParse(location)) throw new StepError(`GET /api/v1/auth/google answered ${status} ${text}`);
    const { origin, searchParams } = new URL(location);
    const back = searchParams.get('redirect_uri');
    if (back !== url + callback) throw new StepError(`the redirect URI is ${back}, expected ${url}${callback}`);
    return [`${origin}, client ${searchParams.get('client_id')}`, undefined];
  });
};

interface Health {
  readonly status: string;
  readonly version: string;
  readonly checks?: Readonly<Record<string, string>>;
}

/** Reads a JSON object that must have this member. */
const jsonAt = async <T>(client: Client, path: string, member: string & keyof T): Promise<T> => {
  const { status, text } = await client.get(path);
  try {
    const value = JSON.parse(text) as T | null;
    if (value?.[member] !== undefined) return value;
  } catch {
    // Reported below.
  }
  throw new StepError(`GET ${path} answered ${status} with an unexpected body: is this the address of the API?`);
};
