/** A minimal browser for sign-in: keeps cookies by path and follows redirects on request only. */
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { accessCookie, refreshCookie } from '../../../shared/http/cookies.ts';
import { stageUrl } from './client.ts';
import { newEmail } from './person.ts';
import { noteRepeat, withRepeats } from './with-repeats.ts';

export class Browser {
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();

  cookie(name: string): string | undefined {
    return this.#cookies.get(name)?.value;
  }

  /** Stores a cookie as the browser would. */
  keep(name: string, value: string, path = '/'): void {
    this.#cookies.set(name, { value, path });
  }

  /** `isOnce`: the caller handles a 503 itself. */
  async go(url: string, init: RequestInit = {}, { isOnce = false } = {}): Promise<Response> {
    const { pathname } = new URL(url);
    const cookie = [...this.#cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) };
    const send = () => fetch(url, { redirect: 'manual', ...init, headers });
    const answer = await (isOnce ? send() : withRepeats(pathname, send));
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(set) ?? [];
      assertAcceptable(name, attributes);
      if (/max-age=0\b/i.test(attributes)) this.#cookies.delete(name);
      else this.keep(name, value, /path=([^;]+)/i.exec(attributes)?.[1]);
    }
    return answer;
  }

  /** Starts a sign-in and completes it at the provider. Returns the redirect back. */
  async visitProvider(query: Readonly<Record<string, string>>): Promise<string> {
    const begun = await this.go(`${stageUrl()}${auth.google.path}?${new URLSearchParams(query)}`);
    const back = await fetch(locationOf(begun), { redirect: 'manual' });
    return locationOf(back);
  }

  /**
   * Goes to the provider and back. A callback works once, so that the browser begins again, as a person would, if the service or the
   * provider was too busy to answer.
   */
  async enter(query: Readonly<Record<string, string>>, tries = 4): Promise<Response> {
    const answer = await this.go(await this.visitProvider(query), {}, { isOnce: true });
    const isBusy = answer.status === 503 || answer.headers.get('location')?.includes('error=temporarily_unavailable');
    if (!isBusy || tries === 1) return answer;
    noteRepeat(`sign-in: ${answer.status}`);
    return this.enter(query, tries - 1);
  }

  /** Signs in without redirect_uri: from then on the cookies carry the session. */
  async signIn(email: string): Promise<Response> {
    return this.enter({ login_hint: email });
  }
}

/** Browsers refuse a `__Host-` cookie unless it is Secure, for all paths and for this host alone. */
const assertAcceptable = (name: string, attributes: string): void => {
  if (!name.startsWith('__Host-')) return;
  if (!/; secure\b/i.test(attributes) || !/; path=\/(;|$)/i.test(attributes) || /; domain=/i.test(attributes)) {
    throw new Error(`a browser refuses the cookie ${name} with ${attributes}`);
  }
};

export const locationOf = (answer: Response): string => {
  const location = answer.headers.get('location');
  if (!location) throw new Error(`expected a redirect, got ${answer.status}`);
  return location;
};

/** The cookies of a new session, as the callback of a sign-in without redirect_uri sets them. */
export const sessionCookiesOf = async (email: string): Promise<readonly { readonly name: string; readonly value: string }[]> => {
  const browser = new Browser();
  const answer = await browser.signIn(email);
  return [accessCookie, refreshCookie].map((name) => {
    const value = browser.cookie(name);
    if (value === undefined) throw new Error(`no session for ${email}: ${answer.status} ${answer.headers.get('location')}`);
    return { name, value };
  });
};

/** The headers of a page of the console, in a browser that this person has signed in. */
export const consoleHeaders = async (email = newEmail()): Promise<{ readonly cookie: string; readonly origin: string }> => {
  const [access] = await sessionCookiesOf(email);
  return { cookie: `${access?.name}=${access?.value}`, origin: stageUrl() };
};

/** Submits the provider's page like a user with a browser. */
export const onThePage = async (browser: Browser, form: URLSearchParams, query: Record<string, string> = {}): Promise<string> => {
  const begun = await browser.go(`${stageUrl()}${auth.google.path}?${new URLSearchParams(query)}`);
  const provider = new Browser();
  const page = new URL(locationOf(await provider.go(locationOf(begun))), locationOf(begun)).href;
  const chosen = await provider.go(page, { method: 'POST', body: form });
  return locationOf(await provider.go(new URL(locationOf(chosen), page).href));
};

/** A one-time code, as a native app receives it. */
export const newCode = async (email = newEmail(), challenge?: string): Promise<string> => {
  const pkce = challenge === undefined ? {} : { code_challenge: challenge, code_challenge_method: 'S256' };
  const answer = await new Browser().enter({ login_hint: email, redirect_uri: 'http://localhost/callback', ...pkce });
  return new URL(locationOf(answer)).searchParams.get('code') ?? '';
};
