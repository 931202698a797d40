/** Quotas of the account in the region. */
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { paginateListServiceQuotas, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { unreservedMin } from '../part/function/concurrency.ts';
import { clientOptions, type DeploymentTarget } from './deployment-target.ts';
import { advise, mustDo, ok, type Verdict } from './verdict.ts';

/** Lambda's code of the quota "Concurrent executions". */
const concurrencyCode = 'L-B99A9384';

export const checkConcurrency = async ({ region, config }: DeploymentTarget): Promise<Verdict> => {
  const { AccountLimit: limit } = await new LambdaClient(clientOptions(region)).send(new GetAccountSettingsCommand({}));
  const quota = limit?.ConcurrentExecutions ?? 0;
  const unreserved = limit?.UnreservedConcurrentExecutions ?? quota;
  const raise = `aws service-quotas request-service-quota-increase --service-code lambda --quota-code ${concurrencyCode} --desired-value 1000`;
  if (config.accountConcurrency > unreserved)
    return mustDo(
      `${quota} concurrent functions, ${quota - unreserved} of them reserved by other functions, but accountConcurrency is ${config.accountConcurrency}: set "accountConcurrency": ${Math.max(10, unreserved)} in cdk.json, or request more (${raise})`,
    );
  if (config.reservedConcurrency > Math.max(0, unreserved - unreservedMin))
    return mustDo(
      `Lambda keeps ${unreservedMin} of ${unreserved} unreserved functions: set "reservedConcurrency" to at most ${Math.max(0, unreserved - unreservedMin)}`,
    );
  if (quota < 100)
    return advise(`${quota} concurrent functions: enough to try it, few for more than one backup at once (${raise})`);
  return ok(`${quota} concurrent functions, accountConcurrency is ${config.accountConcurrency}`);
};

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
