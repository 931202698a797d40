/** The local stage: boots the synthesized template on embedded engines. */
import { join } from 'node:path';
import { type ConfigInput, readConfig } from '../config.ts';
import { openLoopbackServer, openPort } from './base/loopback-server.ts';
import type { Settings } from './base/settings.ts';
import { openState, type State } from './base/stage-state.ts';
import { type Aws, type AwsOptions, account, type Principal, region } from './base/types.ts';
import { bundleFunctions } from './boot/bundle-functions.ts';
import { checkStageSchema } from './boot/check-schema.ts';
import { demoBucket, localConfig } from './boot/local-config.ts';
import { readFunctions } from './boot/read-functions.ts';
import {
  clientSecretOf,
  openGcsServer,
  register,
  type StopFunctions,
  startAwsEngines,
  startFirestoreEngine,
  startGcsEngine,
  startIdentityEngine,
  stopAll,
} from './boot/start-engines.ts';
import { synthesize } from './boot/synthesize.ts';
import { type ResolvedResource, readResources } from './cloudformation/read-template.ts';
import type { Firestore } from './engines/firestore/index.ts';
import type { People } from './engines/identity/people.ts';
import { headersReadBytes, makeGateway } from './gateway/gateway.ts';
import { outboxPage } from './gateway/outbox-page.ts';
import { readRoutes } from './gateway/routes.ts';
import { noIam, readIam } from './iam/roles.ts';
import { openLogs } from './lambda/function-log.ts';
import type { FunctionSpec } from './lambda/function-spec.ts';
import { type Host, startHost } from './lambda/host.ts';
import { withLogPermission } from './lambda/log-permission.ts';
import { recorder } from './unused-permissions/recorder.ts';

interface StageOptions extends Settings {
  /** Overrides of the local deployment configuration. */
  readonly config?: Partial<ConfigInput>;
  /** For tests that do not start the stage again: the table is not kept. */
  readonly isTableInMemory?: boolean;
  /** Changes the resolved template before boot, so that tests can remove parts of it. */
  readonly tamper?: (resources: readonly ResolvedResource[]) => readonly ResolvedResource[];
  readonly say?: (line: string) => void;
  /** Resolves when the demo has ended: until then the functions that it does not use are bundled only if an event needs them. */
  readonly demoEnd?: Promise<void>;
}

export interface Stage {
  readonly url: string;
  readonly identityUrl: string;
  readonly s3Url: string;
  readonly gcsUrl: string;
  readonly aws: Aws;
  readonly firestore: Firestore;
  readonly state: State;
  readonly people: People;
  readonly functions: readonly FunctionSpec[];
  readonly tableName: string;
  readonly host: Host;
  stop(): Promise<void>;
}

export { region };

/** Types that engines create. Other resources may refer to attributes that the engines return. */
const provisioned = new Set([
  'AWS::DynamoDB::Table',
  'AWS::SQS::Queue',
  'AWS::KMS::Key',
  'AWS::KMS::Alias',
  'AWS::SecretsManager::Secret',
  'AWS::S3::Bucket',
]);

/** Types that start functions on their own, so they are created after the functions. */
const selfActing = new Set([
  'AWS::StepFunctions::StateMachine',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::Scheduler::Schedule',
]);

/** Boots a stage. If that fails, stops everything that was started and throws. */
export const startStage = async (options: StageOptions): Promise<Stage> => {
  const started: StopFunctions = [];
  const stop = (): Promise<void> => stopAll(started);
  try {
    return { ...(await boot(options, started)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const boot = async (options: StageOptions, started: StopFunctions): Promise<Omit<Stage, 'stop'>> => {
  const { dir, delayScale, host, say = () => {} } = options;
  const state = openState(dir);
  started.push(state.close);
  // Ports first: a port in use is reported at once, and all addresses are known before synthesis.
  const gateway = await register(started, openLoopbackServer(options.port, 'PORT', { host, maxHeaderSize: headersReadBytes }));
  const identityServer = await register(started, openLoopbackServer(options.identityPort, 'IDP_PORT', { host }));
  const s3Server = await register(started, openLoopbackServer(options.s3Port, 'S3_PORT', { host }));
  const gcsServer = await register(started, openGcsServer(options.gcsPort, host));
  const firestorePort = await register(started, openPort(options.firestorePort, 'FIRESTORE_PORT', host));
  const addresses = {
    apiUrl: gateway.url,
    identityUrl: identityServer.url,
    firestoreUrl: firestorePort.url,
    s3Url: s3Server.url,
    gcsUrl: gcsServer.url,
  };
  const config: ConfigInput = { ...localConfig(addresses, options.allowedHosts), ...options.config };
  const clientSecret = clientSecretOf(state);

  say('starting the engines');
  let functions: readonly FunctionSpec[] = [];
  const principals = new Map<string, Principal>();
  let functionHost: Host | undefined;
  let callerIdentity: Aws['callerIdentity'] | undefined;
  const invoke: AwsOptions['invoke'] = async (functionArn, payload) => {
    if (!functionHost) throw new Error('the stage is still starting');
    return functionHost.invoke(functionArn, payload);
  };
  let iam = noIam;
  let onPermissionUsed: AwsOptions['onPermissionUsed'];
  // Slow imports run while slow processes start.
  const [stacks, bundles, aws, identity, gcs, firestore, { startPollers }, { seedIdentitySecret }] = await Promise.all([
    synthesize(config, say),
    bundleFunctions(say, options.demoEnd),
    register(
      started,
      startAwsEngines({
        lockableBuckets: [demoBucket],
        dir,
        isTableInMemory: options.isTableInMemory,
        region,
        account,
        delayScale,
        invoke,
        principal: (key) => principals.get(key),
        role: (arn) => iam.roles(arn),
        roleOf: (name) => functions.find((fn) => fn.name === name)?.roleArn,
        trusts: (arn, actor) => iam.trusts(arn, actor),
        isAssumable: (assumption) => iam.isAssumable(assumption),
        onPermissionUsed: (used) => onPermissionUsed?.(used),
      }),
    ),
    startIdentityEngine({
      issuer: identityServer.url,
      apiUrl: gateway.url,
      clientId: String(config.identityClientId),
      clientSecret,
      state,
      callerIdentity: (...request) => callerIdentity?.(...request) ?? { arn: '', account: '' },
    }),
    startGcsEngine(dir, state),
    register(started, startFirestoreEngine(firestorePort, options, state)),
    import('./event-source/start-pollers.ts'),
    import('./boot/seed-identity-secret.ts'),
  ]);
  started.push(bundles.stop);
  callerIdentity = aws.callerIdentity;
  identityServer.serve(identity.listener);
  s3Server.serve(aws.s3);
  gcsServer.serve(gcs.listener);
  for (const { createBucket } of [aws, gcs]) createBucket(demoBucket);

  say('creating the resources of the template');
  const location = { region, account, apiUrl: gateway.url, awsUrl: aws.url };
  const learned = await aws.provision(readResources(stacks, { location, learned: {}, types: provisioned }));
  const read = readResources(stacks, { location, learned });
  const resources = options.tamper?.(read) ?? read;
  iam = readIam(resources);
  onPermissionUsed = recorder(resources);
  functions = readFunctions(resources, iam.roles, iam.trusts);
  for (const { accessKeyId, ...principal } of functions) principals.set(accessKeyId, principal);
  const tableName = resources.find(({ type }) => type === 'AWS::DynamoDB::Table')?.name ?? '';
  await Promise.all([
    seedIdentitySecret(functions, { clientSecret, endpoint: aws.url, region }),
    checkStageSchema(aws.url, tableName),
  ]);

  const running = startHost(functions, {
    ...bundles,
    region,
    endpoint: aws.url,
    log: withLogPermission(openLogs(join(dir, 'log')), aws.permit, say),
    accountConcurrency: readConfig(config).accountConcurrency,
  });
  functionHost = running;
  started.push(running.stop, aws.quiesce);
  const feeding = { resources, functions, host: running, state, endpoint: aws.url, region, delayScale, warn: say };
  started.push(startPollers(feeding).stop);
  await aws.provision(resources.filter(({ type }) => selfActing.has(type)));

  const api = resources.find(({ type }) => type === 'AWS::ApiGatewayV2::Api');
  gateway.serve(
    makeGateway({
      api: { id: api?.name ?? 'local', account },
      routes: readRoutes(resources),
      cors: api?.properties.CorsConfiguration,
      permit: aws.permit,
      invoke,
      whenBundled: running.whenBundled,
      page: (path) => outboxPage(path, aws.outbox()),
    }),
  );
  const { people } = identity;
  const urls = { url: gateway.url, identityUrl: identityServer.url, s3Url: s3Server.url, gcsUrl: gcsServer.url };
  return { ...urls, aws, firestore, state, people, functions, tableName, host: running };
};
