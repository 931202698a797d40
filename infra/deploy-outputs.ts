/** The outputs for the deployer: the API's URL and the next steps in order. */
import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { auth } from '../shared/contract/endpoints/auth.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import { dashboardUrl } from './part/observe/dashboard.ts';

interface Deployed {
  readonly config: Config;
  readonly data: DataStack;
  /** The DNS target of the custom domain. */
  readonly domainTarget: string | undefined;
}

/** Outputs of the last stack, because these are printed last. Returns the next steps. */
export const addDeployOutputs = (scope: Construct, deployed: Deployed): readonly string[] => {
  const say = (id: string, value: string, description: string) => new CfnOutput(scope, id, { value, description });
  const { publicUrl, alarms } = deployed.data;
  say('ApiUrl', publicUrl, 'URL of the API; the reference is at /docs');
  say('AlarmTopic', alarms.topicArn, 'SNS topic of the alarms; infra/runbook.md has a section for each alarm');
  say('Dashboard', dashboardUrl(scope), 'Dashboard with all alarms and metrics');
  const steps = nextSteps(deployed);
  for (const [n, step] of steps.entries()) say(`NextStep${n + 1}`, step, 'To be done once, in this order');
  return steps;
};

/** Sign-in needs the first two; alarms reach no one before the third. */
const nextSteps = ({ config, data, domainTarget }: Deployed): readonly string[] => [
  storeSecret(data.identitySecret.secretArn, config.identityClientId),
  `Register ${data.publicUrl}${auth.callback.path} as a redirect URI at ${config.identityIssuer}`,
  config.alarmEmail === undefined
    ? `aws sns subscribe --topic-arn ${data.alarms.topicArn} --protocol email --notification-endpoint <address>`
    : `Confirm the subscription e-mail sent to ${config.alarmEmail}`,
  ...(domainTarget === undefined ? [] : [`Point ${config.domainName} at ${domainTarget} (CNAME or alias)`]),
  `bms smoke ${data.publicUrl} (in a checkout: npx bms smoke; see Smoke test in infra/deploy.md)`,
];

/** Reads the secret from standard input: on a command line it would be in the shell's history and in the list of processes. */
const storeSecret = (secretArn: string, clientId: string): string =>
  `printf 'Client secret of ${clientId}: ' && read -rs secret && printf %s "$secret" | aws secretsmanager put-secret-value --secret-id ${secretArn} --secret-string file:///dev/stdin; unset secret`;
