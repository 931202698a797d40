/** Signs in like a native app: browser flow, one-time code, tokens. */
import { type DataOf, openClient } from '../../../shared/client/index.ts';
import { stageCode } from '../../smoke/stage-code.ts';

export const signIn = async (url: string, email: string): Promise<DataOf<'POST /auth/token'>> => {
  const code = await stageCode(url, email);
  return openClient({ baseUrl: url }).request('POST /auth/token', { body: { code, grant_type: 'authorization_code' } });
};
