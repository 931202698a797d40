/** Obtains an access token: the given one, one for a refresh token, or by signing in. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openClient, StepError } from './client.ts';
import type { SmokeOptions } from './options.ts';
import { codeIn, loginPath, stageCode } from './stage-code.ts';
import type { StepRunner } from './step-runner.ts';

export interface SignInContext {
  /** Whether a person is there to open a browser. */
  readonly isInteractive: boolean;
  /** Redacts a secret in the output. */
  readonly hide: (secret: string) => void;
}

/** Time to sign in with the browser. */
const browserMs = 5 * 60_000;

export const signIn = (runner: StepRunner, options: SmokeOptions, { isInteractive, hide }: SignInContext): Promise<string> => {
  const { url, token, refreshToken, isLocal } = options;
  const anonymous = openClient(url);
  return runner.step('sign in', async () => {
    if (token?.startsWith('fb_sa_')) return ['with the API key of a service account', token];
    const accessToken = token ?? (await session());
    hide(accessToken);
    const client = openClient(url, { token: accessToken });
    if (token === undefined) runner.created('session', () => client.request('POST /auth/logout'));
    const { email } = await client.request('GET /auth/me');
    return [`as ${email}`, accessToken];
  });

  async function session(): Promise<string> {
    if (refreshToken !== undefined)
      return (await anonymous.request('POST /auth/refresh', { body: { refreshToken } })).accessToken;
    const code = isLocal
      ? await stageCode(url, 'smoke@example.com')
      : isInteractive
        ? await codeFromBrowser(runner, url)
        : undefined;
    if (code === undefined)
      throw new StepError('set SMOKE_TOKEN or SMOKE_REFRESH_TOKEN, or start it from a terminal to sign in with a browser');
    hide(code);
    const body = { code, grant_type: 'authorization_code' } as const;
    return (await anonymous.request('POST /auth/token', { body })).accessToken;
  }
};

/** The browser is redirected to this machine with the code, as for any native app (RFC 8252). */
const codeFromBrowser = async (runner: StepRunner, url: string): Promise<string> => {
  const server = createServer();
  try {
    server.listen(0, 'localhost');
    await once(server, 'listening');
    const redirectUri = `http://localhost:${(server.address() as AddressInfo).port}/callback`;
    const { status } = await openClient(url).get(loginPath(redirectUri));
    if (status !== 302)
      throw new StepError('add http://localhost/callback to allowedRedirectUris to sign in here, or set SMOKE_TOKEN');
    runner.print(`open this URL in a browser: ${url}${loginPath(redirectUri)}`);
    const signal = AbortSignal.any([runner.signal, AbortSignal.timeout(browserMs)]);
    for (;;) {
      const [request, response] = await once(server, 'request', { signal }).catch(() => {
        throw new StepError('sign-in timed out');
      });
      const found = new URL(request.url, redirectUri);
      response.writeHead(200, { 'content-type': 'text/plain', connection: 'close' }).end('Signed in. Return to the terminal.\n');
      // Browsers also request an icon.
      if (found.pathname === '/callback') return codeIn(found.href);
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
};
