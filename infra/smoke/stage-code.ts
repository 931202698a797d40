/** A login code of a local stage, whose identity provider signs in the login_hint without a page. */
import { openClient, StepError } from './client.ts';

/** Nothing listens here: the code is read from the redirect itself. */
const redirectUri = 'http://localhost/callback';

export const stageCode = async (url: string, email: string): Promise<string> => {
  const begun = await openClient(url).get(loginPath(redirectUri, { login_hint: email }));
  const cookie = begun.headers.getSetCookie().map((set) => set.split(';')[0]);
  const back = await fetch(locationOf(begun), { redirect: 'manual' });
  const done = await fetch(locationOf(back), { redirect: 'manual', headers: { cookie: cookie.join('; ') } });
  return codeIn(locationOf(done));
};

export const loginPath = (redirect: string, more: Readonly<Record<string, string>> = {}): string =>
  `/api/v1/auth/google?${new URLSearchParams({ redirect_uri: redirect, ...more })}`;

export const codeIn = (location: string): string => {
  const { searchParams } = new URL(location);
  const code = searchParams.get('code');
  if (!code) throw new StepError(`sign-in ended without a code: ${searchParams.get('error') ?? 'no reason given'}`);
  return code;
};

const locationOf = ({ status, headers }: Pick<Response, 'status' | 'headers'>): string => {
  const location = headers.get('location');
  if (!location) throw new StepError(`sign-in answered ${status} instead of a redirect`);
  return location;
};
