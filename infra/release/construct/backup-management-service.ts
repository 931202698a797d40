/** The service as one construct of the CDK, with its functions bundled beside it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { CURRENT_VERSION_EXPIRED_FLAGS, FLAGS, futureFlagDefault } from 'aws-cdk-lib/cx-api';
import { Construct } from 'constructs';
import { type ConfigInput, readConfig } from '../../config.ts';
import { makeStacks, type Stacks } from '../../make-stacks.ts';
import { dashboardUrl } from '../../part/observe/dashboard.ts';
import { functionFile } from '../function-file.ts';

type BackupManagementServiceProps = ConfigInput & Required<Pick<ConfigInput, 'identityClientId'>>;

/**
 * Creates four stacks below its scope, as `cdk deploy` from the repository does: the resources exceed the 500 of one stack, and the data
 * stack stays when the others are deleted. In a stack they get its account and region, and are deployed beside it.
 */
export class BackupManagementService extends Construct {
  readonly apiUrl: string;
  readonly apiId: string;
  readonly dashboardUrl: string;
  readonly alarmTopic: Stacks['data']['alarms'];
  readonly table: Stacks['data']['table'];
  readonly identitySecret: Stacks['data']['identitySecret'];
  readonly googleRole: Stacks['data']['googleRole'];
  readonly dataKeyArn: string;
  readonly tokenKeyArn: string;
  readonly evidenceKeyArn: string;
  readonly domainTarget: string | undefined;
  readonly domainTargetZone: string | undefined;
  readonly nextSteps: readonly string[];
  readonly stacks: readonly Stack[];

  constructor(scope: Construct, id: string, props: BackupManagementServiceProps) {
    super(scope, id);
    const config = readConfig(props, `properties of ${this.node.path}`);
    for (const [flag, value] of ownFlags()) this.node.setContext(flag, value);
    const around = this.node.scopes.find((each) => Stack.isStack(each));
    const { data, engine, extension, api } = makeStacks(this, {
      config,
      code: (entry) => Code.fromAsset(zipOf(entry)),
      ...(around && { env: { account: around.account, region: around.region } }),
    });
    this.apiUrl = data.publicUrl;
    this.apiId = data.apiId;
    this.dashboardUrl = dashboardUrl(engine);
    this.alarmTopic = data.alarms;
    this.table = data.table;
    this.identitySecret = data.identitySecret;
    this.googleRole = data.googleRole;
    this.dataKeyArn = data.dataKeyArns[0];
    this.tokenKeyArn = data.tokenKeyArns[0];
    this.evidenceKeyArn = data.evidenceKeyArns[0];
    this.domainTarget = api.domain?.attrRegionalDomainName;
    this.domainTargetZone = api.domain?.attrRegionalHostedZoneId;
    this.nextSteps = api.nextSteps;
    this.stacks = [data, engine, extension, api];
  }
}

/**
 * As in cdk.json of the repository, whatever the app around it chose: with other flags the CDK makes other resources, which nobody has tested.
 * Flags of a later CDK are among them.
 */
const ownFlags = (): readonly (readonly [string, unknown])[] => [
  ...Object.entries(FLAGS).flatMap(([flag, { recommendedValue }]) =>
    typeof recommendedValue === 'boolean' && !CURRENT_VERSION_EXPIRED_FLAGS.includes(flag)
      ? [[flag, futureFlagDefault(flag)] as const]
      : [],
  ),
  ['@aws-cdk/core:defaultCrossStackReferences', 'strong'],
];

const zipOf = (entry: string): string => {
  const path = join(import.meta.dirname, 'functions', functionFile(entry));
  if (!existsSync(path)) throw new Error(`${path} is missing: install the package again`);
  return path;
};
