/** What the deployer reads at the end: where the API is, and what to do, in order. */
import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { auth } from '../../shared/contract/endpoints/auth.ts';
import type { Config } from '../config.ts';
import type { DataStack } from '../data-stack.ts';
import { dashboardUrl } from './observe/dashboard.ts';

export interface Deployed {
  readonly config: Config;
  readonly data: DataStack;
  /** Where the domain of the deployer's own must lead. */
  readonly domainTarget: string | undefined;
}

/** Outputs of the last stack, since they are printed last. */
export const sayWhatIsNext = (scope: Construct, deployed: Deployed): void => {
  const say = (id: string, value: string, description: string) => new CfnOutput(scope, id, { value, description });
  const { publicUrl, alarms } = deployed.data;
  say('ApiUrl', publicUrl, 'The API; /docs describes it');
  say('AlarmTopic', alarms.topicArn, 'Where alarms go; infra/runbook.md has a section for each');
  say('Dashboard', dashboardUrl, 'Every alarm and every number on one page');
  for (const [n, step] of nextSteps(deployed).entries()) say(`NextStep${n + 1}`, step, 'To be done once, in this order');
};

/** Nobody can sign in before the first two, no alarm is heard before the third. */
const nextSteps = ({ config, data, domainTarget }: Deployed): readonly string[] => [
  `aws secretsmanager put-secret-value --secret-id ${data.identitySecret.secretArn} --secret-string '<client secret of ${config.identityClientId}>'`,
  `Register ${data.publicUrl}${auth.callback.path} as a redirect URI at ${config.identityIssuer}`,
  config.alarmEmail === undefined
    ? `aws sns subscribe --topic-arn ${data.alarms.topicArn} --protocol email --notification-endpoint <address>`
    : `Confirm the subscription that was mailed to ${config.alarmEmail}`,
  ...(domainTarget === undefined ? [] : [`Point ${config.domainName} at ${domainTarget} (CNAME or alias)`]),
  `npm run smoke -- ${data.publicUrl} (see Smoke test in infra/deploy.md)`,
];
