/** The construct as a customer installs it: into an empty folder, with the CDK and nothing of the repository. */
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as Cdk from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { afterAll, beforeAll, test } from 'vitest';
import { entries } from '../../../../infra/bundle/bundle.ts';
import { settingNames } from '../../../../infra/config.ts';
import { construct } from '../../../../infra/release/construct/construct.ts';
import { settings, templatesOf } from '../../../harness/law/templates.ts';
import { tinyRelease } from '../../../harness/release/tiny-release.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'construct-'));
const installed = join(folder, 'node_modules/construct');

interface Service extends Construct {
  readonly apiUrl: string;
  readonly alarmTopic: { readonly topicArn: string };
  readonly stacks: readonly Cdk.Stack[];
}
type Package = { BackupManagementService: new (scope: Construct, id: string, props: object) => Service };

const load = (): { readonly cdk: typeof Cdk; readonly service: Package } => {
  const require = createRequire(join(folder, 'app.js'));
  return { cdk: require('aws-cdk-lib'), service: require('construct') };
};

beforeAll(async () => {
  const { files } = await construct.build(tinyRelease(folder));
  const [[name, content] = ['', '']] = Object.entries(files);
  match(name, /^construct-\d+\.\d+\.\d+\.tgz$/);
  writeFileSync(join(folder, name), content);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['xzf', join(folder, name), '-C', installed, '--strip-components', '1']);
  for (const peer of ['aws-cdk-lib', 'constructs'])
    symlinkSync(join(root, 'node_modules', peer), join(folder, 'node_modules', peer));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>>;

/** The code differs: one line of text there, an asset here. */
const withoutCode = (resources: Resources): Resources =>
  Object.fromEntries(
    Object.entries(resources).map(([id, resource]) =>
      resource.Type === 'AWS::Lambda::Function'
        ? [id, { ...resource, Metadata: 'paths of assets', Properties: { ...resource.Properties, Code: 'code' } }]
        : [id, resource],
    ),
  );

test('construct: in a stack it makes four beside it, in the same account and region, with the code of all functions', () => {
  const { cdk, service } = load();
  const app = new cdk.App({ analyticsReporting: false, builtinCloudFormationValidation: false, outdir: join(folder, 'cdk.out') });
  const around = new cdk.Stack(app, 'Platform', { env: { account: '111122223333', region: 'eu-central-1' } });
  const backups = new service.BackupManagementService(around, 'Backups', {
    ...settings,
    allowedOrigins: [settings.allowedOrigins],
    allowedRedirectUris: [settings.allowedRedirectUris],
  });
  new cdk.CfnOutput(around, 'Address', { value: backups.apiUrl });
  const { stacks } = app.synth();
  deepEqual(stacks.map(({ stackName }) => stackName).sort(), [
    'Platform',
    ...['api', 'data', 'engine', 'extension'].map((part) => `backup-management-service-${part}`),
  ]);
  for (const { stackName, environment, terminationProtection = false } of stacks) {
    equal(environment.region, 'eu-central-1');
    equal(terminationProtection, stackName.endsWith('-data'));
  }
  const zips = readdirSync(join(folder, 'cdk.out')).filter((name) => name.endsWith('.zip'));
  deepEqual([zips.length, new Set(entries).size], [entries.length, entries.length]);
});

test('construct: makes the resources that cdk deploy makes from the repository', () => {
  const { cdk, service } = load();
  const app = new cdk.App({
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
    outdir: join(folder, 'cdk.agnostic'),
  });
  new service.BackupManagementService(app, 'Backups', {
    ...settings,
    allowedOrigins: [settings.allowedOrigins],
    allowedRedirectUris: [settings.allowedRedirectUris],
  });
  const { stacks } = app.synth();
  for (const [id, template] of templatesOf()) {
    const theirs = stacks.find(({ stackName }) => stackName === `backup-management-service-${id.toLowerCase()}`)?.template;
    deepEqual(withoutCode(theirs.Resources), withoutCode(template.Resources));
    deepEqual(theirs.Outputs, template.Outputs);
  }
});

test('construct: loads nothing but its peers and Node, and uses nothing that Node 20 lacks', () => {
  const code = readFileSync(join(installed, 'index.js'), 'utf8');
  const loaded = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name);
  deepEqual(
    loaded.filter((name) => !/^(node:|aws-cdk-lib|constructs$)/.test(name)),
    [],
  );
  const missing = /\bArray\.fromAsync\b|\b(Map|Object)\.groupBy\b|\.withResolvers\b|import\.meta\b|\bRegExp\.escape\b/;
  equal(missing.exec(code)?.[0], undefined);
});

test('construct: an invalid property is one line, before anything is made', () => {
  const { cdk, service } = load();
  throws(
    () => new service.BackupManagementService(new cdk.App(), 'Backups', { identityClientId: 'x', plan: 'gold', plann: 1 }),
    /^Error: Invalid configuration \(properties of Backups\):\n {2}plann: unknown setting.*\n {2}plan: must be one of starter, professional, enterprise$/,
  );
});

test('construct: its declarations have every setting, documented, and compile in a strict app', () => {
  const declarations = readFileSync(join(installed, 'index.d.ts'), 'utf8');
  const declared = [...declarations.matchAll(/^ {3}\*\/\n {2}readonly (\w+)\??: /gm)].map(([, name]) => name);
  deepEqual(declared.toSorted(), [...settingNames].sort());
  writeFileSync(
    join(folder, 'app.ts'),
    `import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { BackupManagementService, type BackupManagementServiceProps } from 'construct';
const stack = new Stack(new App(), 'Platform');
const props: BackupManagementServiceProps = { identityClientId: 'x', plan: 'starter', allowedOrigins: ['https://a.example'], requireCloudFront: false, accountConcurrency: 10 };
const backups = new BackupManagementService(stack, 'Backups', props);
backups.alarmTopic.addSubscription(new EmailSubscription('a@example.com'));
new CfnOutput(stack, 'Url', { value: backups.apiUrl + backups.dashboardUrl + backups.apiId + backups.dataKeyArn + backups.table.tableArn + backups.identitySecret.secretArn + backups.googleRole.roleArn + backups.tokenKeyArn + backups.evidenceKeyArn + (backups.domainTarget ?? '') + (backups.domainTargetZone ?? '') + backups.nextSteps.join() + backups.stacks.length });
const isClientIdRequired: {} extends BackupManagementServiceProps ? never : true = true;
void isClientIdRequired;
`,
  );
  for (const [module = '', resolution = ''] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const options = ['--strict', '--noEmit', '--types', '', '--target', 'esnext', '--lib', 'esnext'];
    execFileSync(
      join(root, 'node_modules/.bin/tsc'),
      [...options, '--module', module, '--moduleResolution', resolution, 'app.ts'],
      { cwd: folder, stdio: 'inherit' },
    );
  }
});
