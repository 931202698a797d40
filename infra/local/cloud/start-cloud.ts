/** KMS and the buckets of a stopped stage. With these a backup can be read while the service is down, as in production. */
import { startAwsEndpoint } from '../aws/aws-endpoint.ts';
import { openLoopbackServer } from '../base/loopback-server.ts';
import { readBody } from '../base/read-body.ts';
import type { Settings } from '../base/settings.ts';
import { openState } from '../base/stage-state.ts';
import { account, region } from '../base/types.ts';
import { openGcsServer, register, type StopFunctions, stopAll } from '../boot/start-engines.ts';
import { openFauxqs } from '../engines/fauxqs/fauxqs-engine.ts';
import { makeS3Front } from '../engines/fauxqs/s3-front.ts';
import { googleTokenPath, openGoogleToken } from '../engines/identity/google-token.ts';
import { openKmsEngine } from '../engines/kms/kms-engine.ts';
import { jsonService } from '../engines/shared/aws-protocols.ts';
import { makePolicyGuard } from '../iam/policy-guard.ts';

export interface Cloud {
  readonly kmsUrl: string;
  readonly s3Url: string;
  readonly gcsUrl: string;
  /** The token endpoint for Google service accounts. */
  readonly tokenUrl: string;
  stop(): Promise<void>;
}

type CloudOptions = Pick<Settings, 'dir' | 's3Port' | 'gcsPort' | 'identityPort'> & { readonly kmsPort: number };

/** Starts everything, or stops what was started and throws. Refused while a stage runs on the same folder. */
export const startCloud = async (options: CloudOptions): Promise<Cloud> => {
  const started: StopFunctions = [];
  const stop = (): Promise<void> => stopAll(started);
  try {
    return { ...(await open(options, started)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const open = async (options: CloudOptions, started: StopFunctions): Promise<Omit<Cloud, 'stop'>> => {
  const { dir } = options;
  const state = openState(dir);
  started.push(state.close);
  const s3 = await register(started, openLoopbackServer(options.s3Port, 'S3_PORT'));
  const gcs = await register(started, openGcsServer(options.gcsPort));
  const tokens = await register(started, openLoopbackServer(options.identityPort, 'IDP_PORT'));
  const kms = jsonService('1.1', openKmsEngine({ dir, region, account }));
  const front = await register(
    started,
    startAwsEndpoint({ port: options.kmsPort, services: { kms }, guard: makePolicyGuard(), principal: () => undefined }),
  );
  const queues = await register(started, openFauxqs({ dir, region, account, delayScale: 1, url: () => front.url }));
  s3.serve(makeS3Front({ port: queues.port, dir: queues.s3Dir }));
  const { startGcs } = await import('../engines/gcs/index.ts');
  gcs.serve(startGcs({ dir }).listener);
  const tokenUrl = `${tokens.url}${googleTokenPath}`;
  const google = openGoogleToken(tokenUrl, state);
  tokens.serve(async (request, response) => {
    const { status, body } = google.token(new URLSearchParams((await readBody(request)).toString()));
    response.writeHead(request.url === googleTokenPath ? status : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  return { kmsUrl: front.url, s3Url: s3.url, gcsUrl: gcs.url, tokenUrl };
};
