/** Signs in like a native app: browser flow, one-time code, tokens. */

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Nothing listens here. The address only has to be an allowed redirect; the code is read from the redirect itself. */
const redirectUri = 'http://localhost/callback';

export const signIn = async (url: string, email: string): Promise<Tokens> => {
  const query = new URLSearchParams({ redirect_uri: redirectUri, login_hint: email });
  const begun = await fetch(`${url}/api/v1/auth/google?${query}`, { redirect: 'manual' });
  const cookie = begun.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ');
  const back = await fetch(locationOf(begun, 'starting the sign-in'), { redirect: 'manual' });
  const done = await fetch(locationOf(back, 'the identity provider'), { headers: { cookie }, redirect: 'manual' });
  const code = new URL(locationOf(done, 'the callback')).searchParams.get('code');
  const answer = await fetch(`${url}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, grant_type: 'authorization_code' }),
  });
  const { data } = (await answer.json()) as { data?: Tokens };
  if (!data) throw new Error(`exchanging the code answered ${answer.status}`);
  return data;
};

const locationOf = (answer: Response, who: string): string => {
  const location = answer.headers.get('location');
  if (!location) throw new Error(`${who} answered ${answer.status} instead of a redirect`);
  return location;
};
