import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { State } from '../../../base/stage-state.ts';
import type { Aws } from '../../../base/types.ts';
import { runGcloud } from './gcloud.ts';
import { openGoogleIam } from './google-iam.ts';
import { type Answer, credentialsPath, openTokenExchange, stsPath } from './token-exchange.ts';

interface FederationOptions {
  readonly state: State;
  readonly callerIdentity: Aws['callerIdentity'];
}

/** Answers POST requests of workload identity federation; undefined for other paths. */
export const routeFederation = ({ state, callerIdentity }: FederationOptions) => {
  const iam = openGoogleIam(state);
  const tokens = openTokenExchange({ iam, state, callerIdentity });
  return async (pathname: string, request: IncomingMessage): Promise<Answer | undefined> => {
    if (pathname === stsPath) return tokens.exchange(new URLSearchParams(await text(request)), new Date());
    const [, email] =
      new RegExp(`^${credentialsPath}/v1/projects/-/serviceAccounts/([^/:]+):generateAccessToken$`).exec(pathname) ?? [];
    if (email) return tokens.impersonate(decodeURIComponent(email), request.headers.authorization, new Date());
    if (pathname !== '/google/gcloud') return undefined;
    try {
      return { status: 200, body: { output: runGcloud(iam, JSON.parse(await text(request)) as string[]) } };
    } catch (error) {
      return { status: 400, body: { error: (error as Error).message } };
    }
  };
};
