/** Embedded AWS: starts the engines, creates the template's resources in them, and opens the endpoint in front of them. */
import { join } from 'node:path';
import { AwsError } from '../base/aws-service.ts';
import type { Aws, AwsOptions, Permit, Resource } from '../base/types.ts';
import { openCloudFormation } from '../engines/cloudformation/open-cloudformation.ts';
import { queryService } from '../engines/cloudformation/query-service.ts';
import type { ObjectSource } from '../engines/cloudformation/stack-runner.ts';
import { openDynamoDbEngine } from '../engines/dynamodb/dynamodb-engine.ts';
import { openFauxqs } from '../engines/fauxqs/fauxqs-engine.ts';
import { makeS3Front } from '../engines/fauxqs/s3-front.ts';
import { openKmsEngine } from '../engines/kms/kms-engine.ts';
import { openLambdaAsyncInvoke } from '../engines/lambda-async-invoke.ts';
import { openScheduler, schedulerRoutes } from '../engines/scheduler/scheduler-engine.ts';
import { openSecrets } from '../engines/secrets.ts';
import { openSes, sesRoutes } from '../engines/ses.ts';
import { jsonService, restService } from '../engines/shared/aws-protocols.ts';
import { openStepFunctionsEngine } from '../engines/step-functions/step-functions-engine.ts';
import { openSts } from '../engines/sts/sts-engine.ts';
import { makePolicyGuard } from '../iam/policy-guard.ts';
import { startAwsEndpoint } from './aws-endpoint.ts';

export const startAws = async (options: AwsOptions): Promise<Aws> => {
  const { region, account, delayScale, invoke } = options;
  const location = { dir: options.dir, region, account };
  const guard = makePolicyGuard(options.onPermissionUsed);
  let url = '';
  const [dynamoDb, queues] = await allOrNone([
    openDynamoDbEngine({ ...location, dir: join(options.dir, 'dynamodb'), isInMemory: options.isTableInMemory }),
    openFauxqs({ ...location, delayScale, url: () => url }),
  ]);
  const kms = openKmsEngine(location);
  const secrets = openSecrets(location);
  const mail = openSes(location);
  const sts = openSts({
    ...location,
    isAssumable: ({ accessKeyId, ...role }) =>
      options.isAssumable?.({ ...role, callerArn: options.principal(accessKeyId)?.roleArn }),
  });

  /** A service that acts for a schedule, a workflow or a route uses the role of that resource. */
  const permit: Permit = (roleArn, actor, need) => {
    if (options.trusts?.(roleArn, actor) === false)
      throw new AwsError('AccessDeniedException', `${roleArn} cannot be assumed by ${actor.service} for ${actor.sourceArn}`);
    if (options.role) guard.permit({ name: roleArn, statements: options.role(roleArn) ?? [] }, [need]);
  };
  const stepFunctions = openStepFunctionsEngine({ ...location, delayScale, invoke, permit });
  const asyncInvoke = openLambdaAsyncInvoke({ invoke, send: queues.send, delayScale, permit, roleOf: options.roleOf });
  const scheduler = openScheduler({
    ...location,
    delayScale,
    targets: { invoke: asyncInvoke.run, send: queues.send, startExecution: stepFunctions.start, permit },
  });

  const cloudFormation = openCloudFormation({
    location: {
      region,
      account,
      // Nothing runs behind the stacks that are deployed here.
      apiUrl: `https://api.execute-api.${region}.amazonaws.com`,
      get awsUrl() {
        return url;
      },
    },
    objects: objectsAt(queues.port),
  });

  const front = await startAwsEndpoint({
    guard,
    principal: options.principal,
    services: {
      dynamodb: dynamoDb.service,
      sqs: queues.sqs,
      sts,
      cloudformation: queryService(cloudFormation, 'http://cloudformation.amazonaws.com/doc/2010-05-15/'),
      kms: jsonService('1.1', kms),
      secretsmanager: jsonService('1.1', secrets),
      states: jsonService('1.0', stepFunctions),
      ses: restService(sesRoutes, mail),
      scheduler: restService(schedulerRoutes, scheduler),
    },
  });
  url = front.url;

  /** Creates the engine's counterpart of a resource. Types that are missing here need no counterpart. */
  const makers: Readonly<Record<string, (resource: Resource) => unknown>> = {
    'AWS::DynamoDB::Table': dynamoDb.provision,
    'AWS::DynamoDB::GlobalTable': dynamoDb.provision,
    'AWS::SQS::Queue': queues.provision,
    'AWS::S3::Bucket': queues.provision,
    'AWS::KMS::Key': kms.provision,
    'AWS::KMS::Alias': kms.provision,
    'AWS::SecretsManager::Secret': secrets.provision,
    'AWS::StepFunctions::StateMachine': stepFunctions.provision,
    'AWS::Lambda::EventInvokeConfig': asyncInvoke.provision,
    'AWS::Scheduler::Schedule': scheduler.provision,
    'AWS::Scheduler::ScheduleGroup': scheduler.provision,
  };

  const provision = async (resource: Resource): Promise<readonly [string, Record<string, string>]> => {
    const attributes = await makers[resource.type]?.(resource);
    return [resource.logicalId, (attributes ?? {}) as Record<string, string>];
  };

  const rest = async (): Promise<void> => {
    scheduler.stop();
    asyncInvoke.stop();
    await stepFunctions.stop();
  };

  return {
    url,
    s3: makeS3Front({
      port: queues.port,
      dir: queues.s3Dir,
      isOurs: (key) => options.principal(key) !== undefined,
      ...(options.lockableBuckets && { lockableBuckets: options.lockableBuckets }),
    }),
    createBucket: queues.createBucket,
    provision: async (resources) => {
      const made = resources.filter(({ type }) => Object.hasOwn(makers, type));
      return Object.fromEntries(await Promise.all(made.map(provision)));
    },
    outbox: mail.outbox,
    permit,
    callerIdentity: sts.callerIdentity,
    used: guard.used,
    quiesce: rest,
    stop: async () => {
      await rest();
      await front.stop();
      await Promise.all([dynamoDb.stop(), queues.stop()]);
    },
  };
};

/** Templates and code in the stage's own buckets. */
const objectsAt = (port: number): ObjectSource => {
  const get = (method: 'GET' | 'HEAD', bucket: string, key: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`, { method });
  return {
    read: async (bucket, key) => {
      const response = await get('GET', bucket, key);
      return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
    },
    has: async (bucket, key) => (await get('HEAD', bucket, key)).ok,
  };
};

/** Starts both engines. If one fails to start, stops the other. */
const allOrNone = async <A extends { stop(): Promise<void> }, B extends { stop(): Promise<void> }>(
  starting: readonly [Promise<A>, Promise<B>],
): Promise<readonly [A, B]> => {
  const outcomes = await Promise.allSettled(starting);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await Promise.all(outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value.stop()));
    throw failed.reason;
  }
  return Promise.all(starting);
};
