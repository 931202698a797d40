/** The stage's AWS STS and Google's token service, without a stage: what workload identity federation consists of. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAwsEndpoint } from '../../../infra/local/aws/aws-endpoint.ts';
import { openState, type State } from '../../../infra/local/base/stage-state.ts';
import { rootAccessKeyId } from '../../../infra/local/base/types.ts';
import { routeFederation } from '../../../infra/local/engines/identity/federation/federation-routes.ts';
import { type GoogleIam, openGoogleIam } from '../../../infra/local/engines/identity/federation/google-iam.ts';
import { openSts, type Sts } from '../../../infra/local/engines/sts/sts-engine.ts';
import { makePolicyGuard } from '../../../infra/local/iam/policy-guard.ts';

export const awsAccount = '123456789012';
export const googleRoleArn = `arn:aws:iam::${awsAccount}:role/backups-google-eu-central-1`;

export interface Federation {
  readonly iam: GoogleIam;
  readonly state: State;
  readonly sts: Sts;
  /** The token service. */
  readonly url: string;
  readonly port: number;
  /** The status with which the token service fails. */
  fail: number | undefined;
  stop(): Promise<void>;
}

/** Sets the environment of a function that may read sources. */
export const startFederation = async (): Promise<Federation> => {
  const dir = mkdtempSync(join(tmpdir(), 'federation-'));
  const state = openState(dir);
  const sts = openSts({ dir, account: awsAccount, isAssumable: ({ roleArn }) => (roleArn === googleRoleArn ? true : undefined) });
  const aws = await startAwsEndpoint({ services: { sts }, guard: makePolicyGuard(), principal: () => undefined });
  const route = routeFederation({ state, callerIdentity: sts.callerIdentity });
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (federation.fail !== undefined) return response.writeHead(federation.fail).end('{}');
    const answer = await route(pathname, request);
    response.writeHead(answer?.status ?? 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer?.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL: aws.url,
    AWS_ACCESS_KEY_ID: rootAccessKeyId,
    AWS_SECRET_ACCESS_KEY: 'secret',
    GOOGLE_STS_URL: `${url}/google/sts/v1/token`,
    GOOGLE_CREDENTIALS_URL: `${url}/google/credentials`,
    GOOGLE_ROLE_ARN: googleRoleArn,
    PUBLIC_URL: 'https://backups.example.com',
  });
  const federation: Federation = {
    iam: openGoogleIam(state),
    state,
    sts,
    url,
    port,
    fail: undefined,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await aws.stop();
      state.close();
      rmSync(dir, { recursive: true });
    },
  };
  return federation;
};
