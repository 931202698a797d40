/** Users, signed in through the real flow at the stage's identity provider. */
import { randomUUID } from 'node:crypto';
import { signIn as walkThrough } from '../../../infra/local/demo/sign-in.ts';
import { stageUrl, stageVariable } from './client.ts';
import { noteRepeat } from './with-repeats.ts';

export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** A new address: tests share a stage, which remembers users. */
export const newEmail = (name = 'person'): string => `${name}-${randomUUID().slice(0, 8)}@example.com`;

/** Tries again if the service or the provider did not answer in time, as a person would. */
const enter = async (email: string, tries = 4): ReturnType<typeof walkThrough> => {
  try {
    return await walkThrough(stageUrl(), email);
  } catch (error) {
    if (tries === 1 || !/temporarily_unavailable|answered 503/.test(String(error))) throw error;
    noteRepeat(`sign-in: ${error}`);
    return enter(email, tries - 1);
  }
};

export const signIn = async (email: string = newEmail()): Promise<Person> => {
  const { accessToken, refreshToken } = await enter(email);
  // The token contains the user's id; asking the service would cost another call for hundreds of sign-ins.
  const { sub } = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as { sub: string };
  return { userId: sub, email, accessToken, refreshToken };
};

/** The user revokes all grants at the provider. */
export const revokeGrants = async (email: string): Promise<void> => {
  const url = `${stageVariable('STAGE_IDP_URL')}/people/${encodeURIComponent(email)}/grants`;
  const answer = await fetch(url, { method: 'DELETE' });
  if (!answer.ok) throw new Error(`the provider answered ${answer.status}`);
};

/** Changes the user's profile at the provider; the identity stays. */
export const changeAtProvider = async (
  email: string,
  to: { readonly email?: string; readonly emailVerified?: boolean; readonly name?: string; readonly picture?: string },
): Promise<void> => {
  const answer = await fetch(`${stageVariable('STAGE_IDP_URL')}/people/${encodeURIComponent(email)}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(to),
  });
  if (!answer.ok) throw new Error(`the provider answered ${answer.status}`);
};
