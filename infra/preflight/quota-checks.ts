/** Quotas of the account in the region. */
import { GetAccountSettingsCommand, GetFunctionCommand, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { paginateListServiceQuotas, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { stepConcurrency } from '../part/function/concurrency.ts';
import { clientOptions, type DeploymentTarget } from './deployment-target.ts';
import { advise, mustDo, ok, type Verdict } from './verdict.ts';

/** Lambda's code of the quota "Concurrent executions". */
const concurrencyCode = 'L-B99A9384';

export const checkConcurrency = async ({ region, config }: DeploymentTarget): Promise<Verdict> => {
  const client = new LambdaClient(clientOptions(region));
  const { AccountLimit: limit } = await client.send(new GetAccountSettingsCommand({}));
  const quota = limit?.ConcurrentExecutions ?? 0;
  const reserved = quota - (limit?.UnreservedConcurrentExecutions ?? quota);
  const others = reserved > 0 ? reserved - (await ownReservation(client, config)) : 0;
  const available = quota - others;
  const raise = `aws service-quotas request-service-quota-increase --service-code lambda --quota-code ${concurrencyCode} --desired-value 1000`;
  if (config.accountConcurrency > available)
    return mustDo(
      `${quota} concurrent functions, ${others} of them reserved by other functions, but accountConcurrency is ${config.accountConcurrency}: set "accountConcurrency": ${Math.max(10, available)} in cdk.json, or request more (${raise})`,
    );
  if (quota < 100)
    return advise(`${quota} concurrent functions: enough to try it, few for more than one backup at once (${raise})`);
  return ok(`${quota} concurrent functions, accountConcurrency is ${config.accountConcurrency}`);
};

const stepDescriptions: ReadonlySet<string> = new Set(
  Object.keys(stepConcurrency).map((name) => workers[name as keyof typeof stepConcurrency].summary),
);

/** What an earlier deployment of the service has reserved: the next one replaces it. */
const ownReservation = async (client: LambdaClient, { stackName }: DeploymentTarget['config']): Promise<number> => {
  let own = 0;
  for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
    for (const { FunctionName, Description = '' } of Functions) {
      if (!stepDescriptions.has(Description)) continue;
      const { Tags, Concurrency } = await client.send(new GetFunctionCommand({ FunctionName }));
      // Another deployment has functions with the same descriptions.
      if (!isEngineOf(stackName, Tags?.['aws:cloudformation:stack-name'])) continue;
      own += Concurrency?.ReservedConcurrentExecutions ?? 0;
    }
  }
  return own;
};

/** The stack of the CDK, or the nested one of the template, whose name CloudFormation completes. */
const isEngineOf = (deployment: string, stack = ''): boolean =>
  stack === `${deployment}-engine` || stack.startsWith(`${deployment}-Engine-`);

/** The least that a deployment needs: AWS's defaults of small regions. Service Quotas names them differently over time. */
const stepFunctionsNeeds = [
  {
    what: 'state transitions a second',
    pattern: /state ?transition.*(rate|refill)|(rate|refill).*state ?transition/i,
    least: 800,
  },
  {
    what: 'starts of executions a second',
    pattern: /start ?execution.*(rate|refill)|(rate|refill).*start ?execution/i,
    least: 150,
  },
  { what: 'open executions', pattern: /open.*executions/i, least: 10_000 },
  { what: 'open map runs', pattern: /open.*map runs/i, least: 200 },
];

export const checkStepFunctions = async ({ region }: DeploymentTarget): Promise<Verdict> => {
  const client = new ServiceQuotasClient(clientOptions(region));
  const quotas: { name: string; value: number }[] = [];
  for await (const { Quotas = [] } of paginateListServiceQuotas({ client }, { ServiceCode: 'states' }))
    for (const { QuotaName: name = '', Value: value = 0 } of Quotas) quotas.push({ name, value });
  const found = stepFunctionsNeeds.map((need) => ({ ...need, quota: quotas.find(({ name }) => need.pattern.test(name)) }));
  const low = found.filter(({ quota, least }) => quota !== undefined && quota.value < least);
  if (low.length > 0)
    return mustDo(
      `${low.map(({ what, least, quota }) => `${quota?.value} ${what}, needs ${least}`).join('; ')}: request more (Service Quotas, AWS Step Functions)`,
    );
  const listed = found.flatMap(({ what, quota }) => (quota ? [`${quota.value} ${what}`] : []));
  const missing = found.flatMap(({ what, quota }) => (quota ? [] : [what]));
  if (missing.length > 0)
    return advise(
      `${[...listed, `Service Quotas does not list ${missing.join(', ')}: compare them with AWS's documentation`].join('; ')}`,
    );
  return ok(listed.join(', '));
};
