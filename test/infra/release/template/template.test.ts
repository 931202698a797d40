/** The template for CloudFormation: equal to what the CDK deploys, whatever the parameters, and deployed on the stage's own engine. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Json } from '../../../../infra/local/base/aws-service.ts';
import type { Template } from '../../../../infra/local/cloudformation/read-template.ts';
import { openCloudFormation } from '../../../../infra/local/engines/cloudformation/open-cloudformation.ts';
import { settingRows } from '../../../../infra/release/setting-rows.ts';
import { parameters } from '../../../../infra/release/template/parameters.ts';
import { template } from '../../../../infra/release/template/template.ts';
import { templatesOf } from '../../../harness/law/templates.ts';
import { canonicalResources } from '../../../harness/release/canonical-template.ts';
import { tinyRelease } from '../../../harness/release/tiny-release.ts';

const folder = mkdtempSync(join(tmpdir(), 'template-'));
const objects = new Map<string, Buffer>();
let root = '';

/** Without a cached one, the template is synthesized for every value of a parameter. */
const buildTimeoutMs = 300_000;

beforeAll(async () => {
  const { files } = await template.build(tinyRelease(folder));
  root = String(files['template/template.json']);
  for (const [path, content] of Object.entries(files))
    if (path.startsWith('template/assets/')) objects.set(path.slice('template/assets/'.length), Buffer.from(content));
}, buildTimeoutMs);
afterAll(() => rmSync(folder, { recursive: true }));

const nestedOf = (id: string): Template => {
  const [, content] = [...objects].find(([name]) => name.startsWith(`${id.toLowerCase()}-`) && name.endsWith('.json')) ?? [];
  return JSON.parse(String(content)) as Template;
};

const everything = {
  AlarmEmail: 'alarms@example.com',
  MailFrom: 'backups@mail.example.com',
  DomainName: 'backups.example.com',
  CertificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/1',
};
const empty = { AlarmEmail: '', MailFrom: '', DomainName: '', CertificateArn: '' };
const identity = { IdentityClientId: 'client-1', IdentityIssuer: 'https://id.example.com' };
const variants: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'nothing but the client id': { ...empty, ...identity, Plan: 'enterprise', AccountConcurrency: '1000' },
  'everything, in a new account': { ...everything, ...identity, Plan: 'starter', AccountConcurrency: '10' },
  'mail and alarms, in a small account': {
    ...everything,
    DomainName: '',
    CertificateArn: '',
    ...identity,
    Plan: 'professional',
    AccountConcurrency: '100',
  },
  'a domain, in a larger account': {
    ...empty,
    ...identity,
    DomainName: everything.DomainName,
    CertificateArn: everything.CertificateArn,
    Plan: 'enterprise',
    AccountConcurrency: '5000',
  },
};

/** The order of statements means nothing. */
const sortStatements = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, its) =>
    key === 'Statement' && Array.isArray(its) ? its.map((each) => JSON.stringify(each)).sort() : its,
  );

describe('template: has the resources that cdk deploy makes with the same settings', () => {
  for (const [name, values] of Object.entries(variants))
    test(name, () => {
      const context = Object.fromEntries(
        Object.entries(parameters).map(([parameter, { setting }]) => [setting, values[parameter]]),
      );
      for (const [id, synthesized] of templatesOf({ ...context, stackName: 'shop' }))
        deepEqual(
          sortStatements(canonicalResources(nestedOf(id), { ...values, DeploymentName: 'shop' })),
          sortStatements(canonicalResources(synthesized as unknown as Template)),
        );
    });
});

test('template: every parameter is described as in the guide, has a label and a group, and a default unless it is required', () => {
  const { Parameters, Metadata } = JSON.parse(root);
  const { ParameterGroups, ParameterLabels } = Metadata['AWS::CloudFormation::Interface'];
  const grouped = ParameterGroups.flatMap(({ Parameters: names }: { Parameters: string[] }) => names);
  deepEqual(grouped.toSorted(), Object.keys(Parameters).sort());
  deepEqual(Object.keys(ParameterLabels).sort(), Object.keys(Parameters).sort());
  deepEqual(
    Object.keys(Parameters).filter((name) => Parameters[name].Default === undefined),
    ['IdentityClientId', 'AssetBucket'],
  );
  const rows = settingRows();
  for (const [name, { setting }] of Object.entries(parameters))
    equal(Parameters[name].Description, rows.find((row) => row.name === setting)?.text.replaceAll('`', ''));
});

test('template: no file exceeds what CloudFormation reads, and what nothing needs is not in them', () => {
  ok(root.length < 51_200, 'a template of this size can be passed without a bucket');
  for (const [name, content] of objects) if (name.endsWith('.json')) ok(content.length < 1_000_000, name);
  for (const id of ['Data', 'Engine', 'Extension', 'Api']) {
    const text = JSON.stringify(nestedOf(id));
    ok(!/parameter\.invalid|deployment-name-parameter|cdk-bootstrap|Fn::ImportValue/.test(text));
  }
});

describe('template on the engine of the stage', () => {
  const engine = openCloudFormation({
    location: { region: 'eu-central-1', account: '111122223333', apiUrl: 'https://api.example', awsUrl: 'https://sqs.example' },
    objects: {
      read: async (bucket, key) => (bucket === 'files' ? objects.get(key.replace(/^\w+\//, '')) : undefined),
      has: async (bucket, key) => bucket === 'files' && objects.has(key.replace(/^release\//, '')),
    },
  });
  const call = async (action: string, input: Json = {}): Promise<Json> => (await engine.call({ action, input })) as Json;
  const given = (values: Readonly<Record<string, string>>) => ({
    TemplateBody: root,
    Capabilities: ['CAPABILITY_NAMED_IAM'],
    Parameters: Object.entries({ IdentityClientId: 'client-1', AssetBucket: 'files', AssetPrefix: 'release/', ...values }).map(
      ([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue }),
    ),
  });
  interface Described {
    readonly StackId: string;
    readonly StackStatus: string;
    readonly StackStatusReason?: string;
    readonly Outputs: readonly { readonly OutputKey: string; readonly OutputValue: string }[];
  }
  const stack = async (name: string): Promise<Described> =>
    ((await call('DescribeStacks', { StackName: name })) as unknown as { Stacks: readonly [Described] }).Stacks[0];
  const settled = async (name: string): Promise<Described> => {
    for (;;) {
      const found = await stack(name);
      if (!found.StackStatus.endsWith('_IN_PROGRESS')) return found;
      await pause(5);
    }
  };
  const outputsOf = ({ Outputs }: Described) =>
    Object.fromEntries(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const changesOf = async (values: Readonly<Record<string, string>>) => {
    const { Id } = await call('CreateChangeSet', { StackName: 'shop', ChangeSetName: 'next', ...given(values) });
    const changes: { ResourceChange: Readonly<Record<string, string>> }[] = [];
    const read = async (id: unknown): Promise<void> => {
      for (let NextToken: unknown, first = true; first || NextToken !== undefined; first = false) {
        const page = (await call('DescribeChangeSet', { ChangeSetName: id, NextToken })) as {
          Changes: typeof changes;
          NextToken?: string;
        };
        for (const change of page.Changes) {
          if (change.ResourceChange.ChangeSetId) await read(change.ResourceChange.ChangeSetId);
          else changes.push(change);
        }
        NextToken = page.NextToken;
      }
    };
    await read(Id);
    return { Id, changes: changes.map(({ ResourceChange }) => ResourceChange) };
  };

  test('is created, with the outputs of all stacks and the next steps', async () => {
    await rejects(call('CreateStack', { StackName: 'shop', ...given({}), Capabilities: [] }), /CAPABILITY_NAMED_IAM/);
    await rejects(
      call('CreateStack', { StackName: 'shop', ...given({ DomainName: 'a.example' }) }),
      /needs both: DomainName and CertificateArn/,
    );
    await rejects(call('CreateStack', { StackName: 'shop', ...given({ Plan: 'gold' }) }), /'Plan' must be one of AllowedValues/);
    await call('CreateStack', { StackName: 'shop', ...given({}), EnableTerminationProtection: 'true' });
    const created = await settled('shop');
    equal(created.StackStatus, 'CREATE_COMPLETE', created.StackStatusReason);
    const outputs = outputsOf(created);
    equal(outputs.ApiUrl, 'https://api.example');
    match(outputs.NextStep1 ?? '', /Client secret of client-1/);
    ok(!('DomainTarget' in outputs) && !('NextStep5' in outputs));
  });

  test('a change set shows what a parameter changes; the update replaces nothing', async () => {
    const { Id, changes } = await changesOf({ AlarmEmail: 'ops@example.com', AccountConcurrency: '10' });
    ok(changes.length > 100);
    deepEqual(new Set(changes.map(({ Replacement }) => Replacement)), new Set(['False', undefined]));
    equal(changes.filter(({ Action }) => Action === 'Add').length, 1);
    await call('ExecuteChangeSet', { ChangeSetName: Id });
    equal((await settled('shop')).StackStatus, 'UPDATE_COMPLETE');
    await rejects(
      call('UpdateStack', { StackName: 'shop', ...given({ AlarmEmail: 'ops@example.com', AccountConcurrency: '10' }) }),
      /No updates/,
    );
  });

  test('an update whose code is missing is rolled back, and nothing has changed', async () => {
    const before = await stack('shop');
    await call('UpdateStack', { StackName: 'shop', ...given({ AssetPrefix: 'elsewhere/' }) });
    const after = await settled('shop');
    equal(after.StackStatus, 'UPDATE_ROLLBACK_COMPLETE');
    deepEqual(outputsOf(after), outputsOf(before));
    const { changes } = await changesOf({ AlarmEmail: 'ops@example.com', AccountConcurrency: '10' });
    deepEqual(changes, []);
  });

  test('a name that is too long for a role fails and leaves nothing that runs', async () => {
    const long = 'a'.repeat(60);
    await call('CreateStack', { StackName: long, ...given({}) });
    const failed = await settled(long);
    equal(failed.StackStatus, 'ROLLBACK_COMPLETE');
    const { StackEvents } = (await call('DescribeStackEvents', { StackName: long })) as unknown as {
      StackEvents: Readonly<Record<string, string>>[];
    };
    match(
      StackEvents.map(({ ResourceStatusReason = '' }) => ResourceStatusReason).join('\n'),
      /Embedded stack .* was not successfully created: .*GoogleRole/,
    );
  });

  test('is deleted after its protection is off; what holds data is retained', async () => {
    await rejects(call('DeleteStack', { StackName: 'shop' }), /TerminationProtection is enabled/);
    await call('UpdateTerminationProtection', { StackName: 'shop', EnableTerminationProtection: 'false' });
    const { StackResourceSummaries } = (await call('ListStackResources', { StackName: 'shop' })) as unknown as {
      StackResourceSummaries: readonly { LogicalResourceId: string; PhysicalResourceId: string }[];
    };
    const { StackId } = await stack('shop');
    await call('DeleteStack', { StackName: 'shop' });
    equal((await settled(StackId)).StackStatus, 'DELETE_COMPLETE');
    const data = StackResourceSummaries.find(({ LogicalResourceId }) => LogicalResourceId === 'Data')?.PhysicalResourceId;
    const { StackEvents } = (await call('DescribeStackEvents', { StackName: data })) as unknown as {
      StackEvents: Readonly<Record<string, string>>[];
    };
    const kept = StackEvents.filter(({ ResourceStatus }) => ResourceStatus === 'DELETE_SKIPPED').map(
      ({ ResourceType }) => ResourceType,
    );
    deepEqual([...new Set(kept)].sort(), ['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::SecretsManager::Secret']);
  });
});
