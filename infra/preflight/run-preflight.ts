/** Runs all checks and prints one line each. A failed call is a line, never a crash. */
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { ReleasedSchema } from '../../shared/contract/schema-refusal.ts';
import { type Config, missingSettings, readConfig } from '../config.ts';
import { failureReason, isAbsent, isDenied } from './call-failure.ts';
import { clientOptions, type DeploymentTarget } from './deployment-target.ts';
import { checkIssuer } from './issuer-check.ts';
import { checkMail } from './mail-check.ts';
import { checkConcurrency, checkStepFunctions } from './quota-checks.ts';
import { checkCertificate, checkServices } from './region-checks.ts';
import { checkSchema } from './schema-check.ts';
import { cannotTell, mustDo, ok, type Verdict } from './verdict.ts';

type Context = Readonly<Record<string, unknown>>;

/** Checks that need the account, in the order of their lines. */
const accountChecks: Checks = {
  'Lambda concurrency': checkConcurrency,
  'Step Functions': checkStepFunctions,
  region: checkServices,
  'schema of the table': checkSchema,
  mail: checkMail,
  certificate: checkCertificate,
};

/** Checks by name. `further` are those of one way to deploy: the CDK needs its bootstrap stack, a released template does not. */
type Checks = Readonly<Record<string, (target: DeploymentTarget) => Promise<Verdict>>>;

interface PreflightOptions {
  readonly further?: Checks;
  /** Of the release that is deployed, if it is not that of this code. */
  readonly schema?: ReleasedSchema | undefined;
}

/** Returns the exit code. */
export const runPreflight = async (
  context: Context,
  say: (line: string) => void,
  { further = {}, schema }: PreflightOptions = {},
): Promise<number> => {
  const verdicts: Verdict[] = [];
  const report = (name: string, verdict: Verdict): void => {
    verdicts.push(verdict);
    say(`${verdict.verdict.padEnd(7)} ${name}: ${verdict.text}`);
  };
  const config = readSettings(context, (verdict) => report('settings', verdict));
  if (!config) return 1;
  const target = await findTarget();
  report('account', target.verdict);
  report('identity issuer', await checkIssuer({ config }));
  for (const [name, check] of Object.entries({ ...accountChecks, ...further })) {
    const { found } = target;
    report(
      name,
      found ? await guarded(() => check({ ...found, config, context, schema })) : cannotTell('not checked without an account'),
    );
  }
  return verdicts.every(({ verdict }) => verdict === 'ok' || verdict === 'advice') ? 0 : 1;
};

const readSettings = (context: Context, report: (verdict: Verdict) => void): Config | undefined => {
  try {
    const config = readConfig(context);
    const missing = [
      ...missingSettings(config),
      ...(config.requireCloudFront && config.domainName === undefined
        ? ['requireCloudFront: set domainName, too; sign-ins would return to the address of API Gateway, which refuses them']
        : []),
    ];
    for (const line of missing) report(mustDo(line));
    if (missing.length === 0) report(ok('valid'));
    return config;
  } catch (error) {
    for (const line of (error as Error).message.split('\n').slice(1)) report(mustDo(line.trim()));
    return undefined;
  }
};

type FoundTarget = Pick<DeploymentTarget, 'account' | 'region'>;

/** Whose credentials these are, and for which region. */
const findTarget = async (): Promise<{ readonly verdict: Verdict; readonly found?: FoundTarget }> => {
  try {
    const { region: _, ...options } = clientOptions('');
    const client = new STSClient(options);
    const region = await client.config.region();
    const { Account: account = '', Arn } = await client.send(new GetCallerIdentityCommand({}));
    return { verdict: ok(`${account} in ${region}, as ${Arn}`), found: { account, region } };
  } catch (error) {
    const { name, message } = error as Error;
    if (/Region is missing/.test(message))
      return { verdict: mustDo('no region: set AWS_REGION, or a region in the profile of the AWS CLI') };
    if (/CredentialsProvider|TokenProvider/.test(name))
      return { verdict: mustDo('no credentials: sign in (aws sso login, aws configure), or set AWS_PROFILE') };
    return { verdict: mustDo(`the credentials are not accepted (${failureReason(error)}): sign in again`) };
  }
};

const guarded = async (check: () => Promise<Verdict>): Promise<Verdict> => {
  try {
    return await check();
  } catch (error) {
    if (isDenied(error)) return cannotTell(`not permitted (${failureReason(error)}): allow this action, or check it yourself`);
    if (isAbsent(error))
      return mustDo(`the service has no endpoint in this region (${failureReason(error)}): choose another region`);
    return cannotTell(failureReason(error));
  }
};
