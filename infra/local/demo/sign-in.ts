/** Signs in like a native app: browser flow, one-time code, tokens. */
import { openClient } from '../../smoke/client.ts';
import { stageCode } from '../../smoke/stage-code.ts';

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export const signIn = async (url: string, email: string): Promise<Tokens> => {
  const code = await stageCode(url, email);
  return openClient(url).call('POST', '/auth/token', { code, grant_type: 'authorization_code' });
};
