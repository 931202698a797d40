/** The local stage: the synthesized template, booted on embedded engines. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { bundle, bundleDir, entries } from '../bundle.ts';
import type { ConfigInput } from '../config.ts';
import { startAws } from './aws.ts';
import { localConfig } from './config.ts';
import { startIdentity } from './engines/identity.ts';
import type { People } from './engines/identity-people.ts';
import { readFunctions } from './functions.ts';
import { headersMaxBytes, makeGateway } from './gateway.ts';
import { keepIdentitySecret } from './identity-secret.ts';
import type { FunctionSpec } from './lambda/function.ts';
import { type Host, startHost } from './lambda/host.ts';
import { openLogs } from './lambda/log.ts';
import { explain, listen } from './listen.ts';
import { outboxReply } from './outbox.ts';
import type { Aws, Principal } from './parts.ts';
import { startPollers } from './poller/pollers.ts';
import { readRoles } from './roles.ts';
import { readRoutes } from './route.ts';
import type { Settings } from './settings.ts';
import { openState, type State } from './state.ts';
import { synthesize } from './synth.ts';
import { type ResolvedResource, readResources } from './template.ts';

export interface StageOptions extends Settings {
  /** Other choices of the deployer than the local ones. */
  readonly config?: Partial<ConfigInput>;
  /** Changes the resolved template before anything runs: what a test takes away must be missed. */
  readonly tamper?: (resources: readonly ResolvedResource[]) => readonly ResolvedResource[];
  readonly say?: (line: string) => void;
}

export interface Stage {
  readonly url: string;
  readonly identityUrl: string;
  readonly aws: Aws;
  readonly state: State;
  readonly people: People;
  readonly functions: readonly FunctionSpec[];
  readonly tableName: string;
  readonly host: Host;
  stop(): Promise<void>;
}

export const region = 'eu-central-1';
const account = '123456789012';

/** What engines create; the rest of the template may need to know what they tell. */
const provisioned = new Set([
  'AWS::DynamoDB::Table',
  'AWS::SQS::Queue',
  'AWS::KMS::Key',
  'AWS::KMS::Alias',
  'AWS::SecretsManager::Secret',
  'AWS::StepFunctions::StateMachine',
  'AWS::Scheduler::Schedule',
  'AWS::S3::Bucket',
]);

/** Boots a stage, or leaves nothing of it behind and throws. */
export const startStage = async (options: StageOptions): Promise<Stage> => {
  const stops: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    return await boot(options, stops, stop);
  } catch (error) {
    await stop();
    throw error;
  }
};

const boot = async (options: StageOptions, stops: (() => unknown)[], stop: () => Promise<void>): Promise<Stage> => {
  const { dir, say = () => {} } = options;
  const state = openState(dir);
  stops.push(state.close);

  // Ports first: a taken one is said at once, and every address is known before the template is made.
  let answer: Parameters<typeof listen>[2] = (_request, response) => void response.writeHead(503).end();
  let identify = answer;
  const gateway = await listen(options.port, 'PORT', (request, response) => answer(request, response), {
    maxHeaderSize: headersMaxBytes,
  });
  stops.push(gateway.stop);
  const identityDoor = await listen(options.identityPort, 'IDP_PORT', (request, response) => identify(request, response));
  stops.push(identityDoor.stop);

  const principals = new Map<string, Principal>();
  let host: Host | undefined;
  const invoke = async (functionArn: string, payload: unknown): Promise<unknown> => {
    if (!host) throw new Error('the stage is still starting');
    return host.invoke(functionArn, payload);
  };

  say('starting the engines, synthesizing the template, bundling the functions');
  const clientSecret = state.get<string>('identity-client', 'secret') ?? randomBytes(24).toString('base64url');
  state.set('identity-client', 'secret', clientSecret);
  const config: ConfigInput = { ...localConfig(gateway.url, identityDoor.url), ...options.config };
  const bundles = join(dir, 'bundle');
  const worker = 'infra/local/lambda/worker.ts';
  const [aws, stacks, identity] = await together([
    startAws({
      dir,
      region,
      account,
      s3Port: options.s3Port,
      delayScale: options.delayScale,
      principal: (key) => principals.get(key),
      invoke,
    })
      .then((started) => {
        stops.push(started.stop);
        return started;
      })
      .catch((error) => {
        throw explain(error, options.s3Port, 'S3_PORT');
      }),
    synthesize(config, join(dir, 'cdk.out')),
    startIdentity({
      issuer: identityDoor.url,
      clientId: String(config.identityClientId),
      clientSecret,
      redirectUri: `${gateway.url}/api/v1/auth/google/callback`,
      signInUrl: `${gateway.url}/api/v1/auth/google`,
      state,
    }),
    bundle([...entries, worker], bundles),
  ]);
  identify = identity.listener;

  say('creating what the template names');
  const place = { region, account, apiUrl: gateway.url, awsUrl: aws.url };
  const learned = await aws.provision(readResources(stacks, place, {}, provisioned));
  const resources = (options.tamper ?? ((same) => same))(readResources(stacks, place, learned));
  const roles = readRoles(resources);
  const functions = readFunctions(resources, roles);
  for (const { accessKeyId, name, statements } of functions) principals.set(accessKeyId, { name, statements });
  await keepIdentitySecret(functions, clientSecret, aws.url, region);

  host = startHost(functions, {
    worker: join(bundleDir(worker, bundles), 'index.cjs'),
    bundleOf: (entry) => join(bundleDir(entry, bundles), 'index.cjs'),
    cache: join(dir, 'compiled'),
    region,
    account,
    endpoint: aws.url,
    log: openLogs(join(dir, 'log')),
  });
  stops.push(host.stop);
  stops.push(
    startPollers({ resources, functions, host, state, endpoint: aws.url, region, delayScale: options.delayScale, warn: say })
      .stop,
  );

  const api = resources.find(({ type }) => type === 'AWS::ApiGatewayV2::Api');
  answer = makeGateway({
    api: { id: api?.name ?? 'local', account },
    routes: readRoutes(resources),
    cors: api?.properties.CorsConfiguration,
    role: roles,
    invoke,
    page: (path) => outboxReply(path, aws.outbox()),
  });
  return {
    url: gateway.url,
    identityUrl: identityDoor.url,
    aws,
    state,
    people: identity.people,
    functions,
    tableName: resources.find(({ type }) => type === 'AWS::DynamoDB::Table')?.name ?? '',
    host,
    stop,
  };
};

/** All of them, or the first failure once none is still starting: what started late could not be stopped. */
const together = async <T extends readonly unknown[]>(starting: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T> => {
  const outcomes = await Promise.allSettled(starting);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as unknown as T;
};
