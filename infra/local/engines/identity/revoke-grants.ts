/** Revokes a user's grants, like the account page at Google. */
import type { AdapterPayload } from 'oidc-provider';
import type { State } from '../../base/stage-state.ts';

const kinds = ['Grant', 'RefreshToken', 'AccessToken', 'AuthorizationCode'].map((model) => `identity-${model}`);

/** All refresh tokens of the user become invalid_grant. Returns their number. */
export const revokeGrants = (state: State, sub: string): number => {
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
