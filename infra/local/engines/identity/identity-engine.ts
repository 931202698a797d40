/**
 * The local identity provider: oidc-provider with the features of Google's OpenID Connect and a page of demo users.
 * `login_hint` signs in at once: the first response redirects to the client, for scripts without cookies.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type Provider from 'oidc-provider';
import type { AdapterPayload } from 'oidc-provider';
import type { State } from '../../base/stage-state.ts';
import { routeFederation } from './federation/federation-routes.ts';
import { googleTokenPath, openGoogleToken } from './google-token.ts';
import { type IdentityOptions, makeOidcProvider, offlineKind } from './oidc-provider.ts';
import { errorPage, homePage, type Page, readSignIn, signInPage } from './pages.ts';
import { openPeople, type People } from './people.ts';

export interface Identity {
  readonly listener: RequestListener;
  readonly people: People;
}

export const startIdentity = async (options: IdentityOptions): Promise<Identity> => {
  const { issuer, state } = options;
  const people = openPeople(state);
  const provider = await makeOidcProvider(options, people);
  const google = openGoogleToken(`${issuer}${googleTokenPath}`, state);
  const federation = routeFederation(options);
  const serve = provider.callback();

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    if (pathname === '/') return send(response, 200, homePage(people.all(), options.signInUrl));
    if (pathname.startsWith('/interaction/')) return interact(provider, { people, state, request, response });
    const [, email = '', what] = /^\/people\/([^/]+)(\/grants)?$/.exec(pathname) ?? [];
    if (email && what && (request.method === 'DELETE' || request.method === 'POST'))
      return json(response, { tokens: revokeGrants(state, people.byEmail(decodeURIComponent(email)).sub) });
    if (email && !what && request.method === 'PUT')
      return json(response, people.change(decodeURIComponent(email), JSON.parse(await text(request))));
    if (pathname === googleTokenPath && request.method === 'POST') {
      const { status, body } = google.token(new URLSearchParams(await text(request)));
      return json(response, body, status);
    }
    const federated = request.method === 'POST' ? await federation(pathname, request) : undefined;
    if (federated) return json(response, federated.body, federated.status);
    const [, account] = /^\/google\/accounts\/([^/]+)\/keys$/.exec(pathname) ?? [];
    if (account && request.method === 'POST') return json(response, (await google.makeKey(decodeURIComponent(account))).body);
    if (pathname === '/auth' && request.method === 'GET') {
      const hint = searchParams.get('login_hint');
      if (hint?.includes('@')) return send(response, 303, await signInAs(issuer, hint, searchParams));
      // Each sign-in starts without a session, so that the page always offers a choice of users.
      delete request.headers.cookie;
    }
    return serve(request, response);
  };
  const listener: RequestListener = (request, response) => {
    route(request, response).catch(() => {
      if (!response.headersSent) send(response, 400, errorPage('Unknown request. Start the sign-in again.'));
    });
  };
  return { listener, people };
};

type Answer = Omit<Page, 'headers'> & { readonly headers: Readonly<Record<string, string>>; readonly status?: number };

const send = (response: ServerResponse, status: number, answer: Answer): void => {
  response.writeHead(answer.status ?? status, answer.headers).end(answer.body);
};

const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(body));
};

/** Shows the sign-in page, then continues with the chosen user. */
const interact = async (
  provider: Provider,
  {
    people,
    state,
    request,
    response,
  }: { readonly people: People; readonly state: State; readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> => {
  const { params } = await provider.interactionDetails(request, response);
  const requested = String(params.scope ?? 'openid').split(' ');
  if (request.method !== 'POST') return send(response, 200, signInPage(people.all(), requested));
  const choice = readSignIn(new URLSearchParams(await text(request)), requested);
  if (choice === undefined) return send(response, 400, errorPage('Invalid e-mail address.'));
  if (choice === 'denied') {
    const result = { error: 'access_denied', error_description: 'the user denied access' };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  const { sub: accountId } = people.byEmail(choice.email);
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addOIDCScope(choice.granted.join(' '));
  if (choice.rejected.length > 0) grant.rejectOIDCScope(choice.rejected.join(' '));
  const grantId = await grant.save();
  if (params.access_type === 'offline') state.set(offlineKind, grantId, true);
  const result = { login: { accountId }, consent: { grantId }, select_account: {} };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
};

/** Completes the pages like a browser with its own cookies, and returns the final redirect. */
const signInAs = async (issuer: string, email: string, parameters: URLSearchParams): Promise<Answer> => {
  const requested = new URLSearchParams(parameters);
  requested.delete('login_hint');
  const cookies = new Map<string, string>();
  const go = async (url: string, form?: URLSearchParams): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, accept: 'text/html' };
    const answer = await fetch(url, { headers, redirect: 'manual', ...(form && { method: 'POST', body: form }) });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value) cookies.set(name, value);
    }
    return answer;
  };
  const next = (answer: Response): string => new URL(answer.headers.get('location') ?? '', issuer).href;
  const first = await go(`${issuer}/auth?${requested}`);
  const isPage = next(first).startsWith(`${issuer}/interaction/`);
  const last = isPage ? await go(next(await go(next(first), new URLSearchParams({ email })))) : first;
  const location = last.headers.get('location');
  return {
    status: last.status,
    headers: { 'content-type': last.headers.get('content-type') ?? 'text/plain', ...(location && { location }) },
    body: Buffer.from(await last.arrayBuffer()),
  };
};

const kinds = ['Grant', 'RefreshToken', 'AccessToken', 'AuthorizationCode'].map((model) => `identity-${model}`);

/** All refresh tokens of the user become invalid_grant. Returns their number. */
const revokeGrants = (state: State, sub: string): number => {
  let tokens = 0;
  for (const kind of kinds) {
    for (const { jti, accountId } of state.all<AdapterPayload>(kind)) {
      if (accountId !== sub || !jti) continue;
      state.delete(kind, jti);
      if (kind === 'identity-RefreshToken') tokens += 1;
    }
  }
  return tokens;
};
