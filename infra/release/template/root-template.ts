import { schemaVersion } from '../../../shared/contract/version.ts';
import { settingRows } from '../setting-rows.ts';
import { assetParameters, deploymentName, parameters, type TemplateParameter, usualAssetPrefix } from './parameters.ts';
import type { Json, JsonObject, Template } from './template-json.ts';

export interface RootStack {
  readonly id: string;
  readonly file: string;
  readonly text: string;
  readonly outputs: Template['Outputs'];
  readonly settings: readonly string[];
  /** Output → the stack that has it. */
  readonly imports: ReadonlyMap<string, string>;
  readonly conditions: Template['Conditions'];
}

const table: Readonly<Record<string, TemplateParameter>> = parameters;
const isEmpty = (parameter: string): JsonObject => ({ 'Fn::Equals': [{ Ref: parameter }, ''] });
const isGiven = (parameter: string): JsonObject => ({ 'Fn::Not': [isEmpty(parameter)] });

/** The template that is deployed: parameters in groups, the four stacks, and their outputs. */
export const rootTemplate = (version: string, stacks: readonly RootStack[]): JsonObject => ({
  AWSTemplateFormatVersion: '2010-09-09',
  Description: `Backup Management Service ${version}: backs up Firestore projects into storage that the customer owns`,
  Metadata: {
    'AWS::CloudFormation::Interface': { ParameterGroups: parameterGroups(), ParameterLabels: parameterLabels() },
    // A deployment compares it with the table before it changes anything.
    BackupManagementService: { Release: version, SchemaVersion: schemaVersion },
  },
  Parameters: {
    ...Object.fromEntries(Object.entries(table).map(([name, parameter]) => [name, declare(parameter)])),
    AssetBucket: { Type: 'String', Description: assetParameters.AssetBucket.description, MinLength: 1 },
    AssetPrefix: { Type: 'String', Description: assetParameters.AssetPrefix.description, Default: usualAssetPrefix },
  },
  Rules: {
    DomainAndCertificate: {
      Assertions: [
        {
          Assert: {
            'Fn::Or': [
              { 'Fn::And': [isEmpty('DomainName'), isEmpty('CertificateArn')] },
              { 'Fn::And': [isGiven('DomainName'), isGiven('CertificateArn')] },
            ],
          },
          AssertDescription: 'A custom domain needs both: DomainName and CertificateArn',
        },
      ],
    },
  },
  Conditions: conditionsOf(stacks),
  Resources: Object.fromEntries(stacks.map((stack, n) => [stack.id, nestedStack(stack, stacks.slice(0, n))])),
  Outputs: Object.fromEntries(stacks.flatMap((stack) => outputsOf(stack))),
});

const declare = ({ setting, placeholder, isOptional = false, values }: TemplateParameter): JsonObject => {
  const row = settingRows().find(({ name }) => name === setting);
  if (!row) throw new Error(`infra/deploy.md has no row for ${setting}`);
  const Description = plain(row.text);
  if (values) return { Type: 'String', Description, Default: values[0] ?? '', AllowedValues: values };
  const usual = row.schema.default;
  const isRequired = setting === 'identityClientId';
  const mayBeEmpty = isOptional || usual === undefined;
  const Default = mayBeEmpty ? '' : String(usual);
  if (placeholder === undefined) throw new Error(`${setting} has neither values nor a placeholder`);
  return { Type: 'String', Description, ...(isRequired ? { MinLength: 1 } : { Default }) };
};

/** The words of the guide without its Markdown. */
const plain = (text: string): string => text.replaceAll('`', '');

const groupsOf = (): ReadonlyMap<string, readonly string[]> => {
  const groups = Map.groupBy(Object.entries(table), ([, { group }]) => group);
  return new Map([
    ...[...groups].map(([group, rows]) => [group, rows.map(([name]) => name)] as const),
    ['Files of the release', Object.keys(assetParameters)],
  ]);
};

const parameterGroups = (): Json => [...groupsOf()].map(([group, Parameters]) => ({ Label: { default: group }, Parameters }));

const parameterLabels = (): JsonObject =>
  Object.fromEntries(
    [...Object.entries(table), ...Object.entries(assetParameters)].map(([name, { label }]) => [name, { default: label }]),
  );

const nestedStack = ({ file, settings, imports }: RootStack, before: readonly RootStack[]): JsonObject => {
  const given = (name: string): Json => ({ Ref: name === deploymentName.parameter ? 'AWS::StackName' : name });
  const Parameters = Object.fromEntries([
    ...settings.map((name) => [name, given(name)] as const),
    ...[...imports].map(([output, stack]) => [output, { 'Fn::GetAtt': [stack, `Outputs.${output}`] }] as const),
  ]);
  const address = `https://\${AssetBucket}.s3.\${AWS::Region}.\${AWS::URLSuffix}/\${AssetPrefix}${file}`;
  return {
    Type: 'AWS::CloudFormation::Stack',
    // New functions of the API write tasks that only new workers know, so the workers come first.
    ...(before.length > 0 && { DependsOn: before.map(({ id }) => id) }),
    Properties: { TemplateURL: { 'Fn::Sub': address }, Parameters },
  };
};

/** What only other stacks need is no output of the root. */
const outputsOf = ({ id, outputs }: RootStack): readonly (readonly [string, JsonObject])[] =>
  Object.entries(outputs)
    .filter(([name]) => !name.startsWith('ExportsOutput'))
    .map(([name, { Description = '', Condition }]) => [
      name,
      { Description, Value: { 'Fn::GetAtt': [id, `Outputs.${name}`] }, ...(Condition !== undefined && { Condition }) },
    ]);

const conditionsOf = (stacks: readonly RootStack[]): JsonObject => {
  const used = new Set(stacks.flatMap(({ outputs }) => Object.values(outputs).flatMap(({ Condition }) => Condition ?? [])));
  const all = Object.assign({}, ...stacks.map(({ conditions }) => conditions)) as JsonObject;
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
};
