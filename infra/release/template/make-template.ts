/** The stacks of the service as one template with nested stacks, made from what the CDK synthesizes for each value of a parameter. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildApp, quickApp } from '../../app.ts';
import { buildCached } from '../../bundle/build-cached.ts';
import { readConfig } from '../../config.ts';
import { functionFile } from '../function-file.ts';
import { combineChoices } from './combine-choices.ts';
import { mergeVariants, variantNames } from './merge-variants.ts';
import { deploymentName, givenWith, type ParameterName, parameters, type TemplateParameter } from './parameters.ts';
import { type RootStack, rootTemplate } from './root-template.ts';
import { type Json, type JsonObject, mapJson, type Template, type TemplateResource } from './template-json.ts';

export interface MadeTemplate {
  readonly root: JsonObject;
  /** Nested templates by name of the file. */
  readonly nested: Readonly<Record<string, string>>;
}

interface TemplateOptions {
  readonly version: string;
  /** The names of the zips with a digest in them, by their plain names: CloudFormation updates a function whose file has a new name. */
  readonly zipNames: Readonly<Record<string, string>>;
}

type Stacks = Readonly<Record<string, Template>>;
type Settings = Readonly<Record<string, string>>;
const stackIds = ['Data', 'Engine', 'Extension', 'Api'] as const;
const table: Readonly<Record<string, TemplateParameter>> = parameters;

export const makeTemplate = async ({ version, zipNames }: TemplateOptions): Promise<MadeTemplate> => {
  const merged = await mergedStacks();
  const stacks: RootStack[] = stackIds.map((id) => {
    const template = finish(id, merged[id] as Template, zipNames);
    const text = `${JSON.stringify(template.content)}\n`;
    return { id, ...template, file: `${id.toLowerCase()}-${digestOf(text)}.json`, text };
  });
  return {
    root: rootTemplate(version, stacks),
    nested: Object.fromEntries(stacks.map(({ file, text }) => [file, text])),
  };
};

export const digestOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

const placeholderOf = (name: ParameterName): Settings => {
  const { setting, placeholder } = table[name] as TemplateParameter;
  return placeholder === undefined ? {} : { [setting]: placeholder };
};

/** Optional parameters are empty, and the others have placeholders. */
const baseSettings: Settings = {
  stackName: deploymentName.placeholder,
  ...placeholderOf('IdentityClientId'),
  ...placeholderOf('IdentityIssuer'),
};

const mergedFile = 'merged.json';

/** From the cache if no source has changed: a synthesis for each value of a parameter takes seconds. */
const mergedStacks = async (): Promise<Stacks> => {
  const dir = await buildCached({
    kind: 'released-template',
    from: [
      'infra/*.*',
      'infra/{part,workflow}/**/*.*',
      'infra/release/template/*.ts',
      'infra/release/function-file.ts',
      'shared/contract/**/*.*',
    ],
    make: async (draft) => writeFileSync(join(draft, mergedFile), JSON.stringify(mergeAll())),
  });
  return JSON.parse(readFileSync(join(dir, mergedFile), 'utf8')) as Stacks;
};

const mergeAll = (): Stacks => {
  const base = synthesize(baseSettings);
  const choices = Object.entries(table).flatMap(([name, { setting, isOptional = false, values = [] }]) => {
    const parameter = name as ParameterName;
    const together = givenWith[parameter];
    const variants = isOptional
      ? new Map([
          [variantNames.empty, base],
          [
            variantNames.given,
            synthesize({ ...baseSettings, ...placeholderOf(parameter), ...(together && placeholderOf(together)) }),
          ],
        ])
      : new Map(values.map((value, n) => [value, n === 0 ? base : synthesize({ ...baseSettings, [setting]: value })]));
    return variants.size === 0 ? [] : [{ parameter, isOptional, variants }];
  });
  return Object.fromEntries(
    stackIds.map((id) => {
      const own = (stacks: Stacks): Template => stacks[id] as Template;
      const templates = choices.map(({ variants, ...choice }) =>
        mergeVariants({ ...choice, variants: new Map([...variants].map(([value, stacks]) => [value, own(stacks)])) }),
      );
      return [id, combineChoices(own(base), templates)];
    }),
  );
};

/** Synthesizes one variant, without what only the CDK's own deployment needs. */
const synthesize = (settings: Settings): Stacks => {
  const code = (entry: string) => Code.fromInline(`// ${entry}`);
  const assembly = buildApp({ config: readConfig(settings), code }, quickApp()).synth();
  const stacks = Object.fromEntries(
    assembly.stacks.map(({ id, template }) => {
      const outputs = Object.entries(template.Outputs ?? {}) as [string, TemplateResource & { readonly Export?: Json }][];
      const resources = Object.entries(template.Resources) as [string, TemplateResource & { readonly DependsOn?: Json }][];
      const Outputs = Object.fromEntries(outputs.map(([name, { Export: _, ...output }]) => [name, output]));
      const Resources = Object.fromEntries(
        resources.map(([name, { DependsOn, ...resource }]) => [
          // The CDK names a subscription after its address, which is a parameter here.
          resource.Type === 'AWS::SNS::Subscription' ? 'AlarmSubscription' : name,
          DependsOn === undefined ? resource : { ...resource, DependsOn: [DependsOn].flat() as string[] },
        ]),
      );
      return [id, { Resources, Outputs, Conditions: {}, Mappings: {} }];
    }),
  );
  rmSync(assembly.directory, { recursive: true });
  return stacks;
};

interface Finished {
  readonly content: JsonObject;
  readonly outputs: Template['Outputs'];
  /** Parameters of the root that this one gets. */
  readonly settings: readonly string[];
  /** Outputs of other stacks that it gets as parameters, by their name there. */
  readonly imports: ReadonlyMap<string, string>;
  readonly conditions: Template['Conditions'];
}

/** Imports and placeholders become parameters, and the code of functions a file of the release. */
const finish = (id: string, merged: Template, zipNames: Readonly<Record<string, string>>): Finished => {
  const imports = new Map<string, string>();
  const importOf = (name: string): Json => {
    const [stack = '', output = ''] = name.split(':');
    const exporter = stackIds.find((each) => stack === `${deploymentName.placeholder}-${each.toLowerCase()}`);
    if (exporter === undefined) throw new Error(`${id} imports ${name}, which no stack of the template exports`);
    imports.set(output, exporter);
    return { Ref: output };
  };
  const insert = (value: Json): Json =>
    mapJson(value, (each) => {
      if (typeof each === 'string') return insertParameters(each);
      const imported = (each as JsonObject | null)?.['Fn::ImportValue'];
      return typeof imported === 'string' ? importOf(imported) : undefined;
    });
  const Resources = Object.fromEntries(
    Object.entries(merged.Resources).map(([name, { Metadata, Properties, ...resource }]) => {
      const entry = Metadata?.entry;
      const code = typeof entry === 'string' && { Code: codeOf(zipNames[functionFile(entry)] ?? '') };
      return [name, { ...resource, ...(Properties && { Properties: { ...(insert(Properties) as JsonObject), ...code } }) }];
    }),
  );
  const outputs = Object.fromEntries(
    Object.entries(merged.Outputs).map(([name, { Value, Description, ...output }]) => [
      name,
      {
        ...output,
        ...(Description !== undefined && { Description: namePlaceholders(Description) }),
        Value: insert(Value ?? ''),
      },
    ]),
  );
  const body = { Conditions: merged.Conditions, Mappings: merged.Mappings, Resources, Outputs: outputs };
  const text = JSON.stringify(body);
  const settings = [...Object.keys(table), deploymentName.parameter, 'AssetBucket', 'AssetPrefix'].filter((name) =>
    text.includes(`{"Ref":"${name}"}`),
  );
  const Parameters = Object.fromEntries([...settings, ...imports.keys()].map((name) => [name, { Type: 'String' }]));
  const Description = `Backup Management Service: ${id.toLowerCase()}`;
  return {
    content: { AWSTemplateFormatVersion: '2010-09-09', Description, Parameters, ...body } as unknown as JsonObject,
    outputs,
    settings,
    imports,
    conditions: merged.Conditions,
  };
};

const codeOf = (zip: string): JsonObject => {
  if (zip === '') throw new Error('a function has no code');
  return { S3Bucket: { Ref: 'AssetBucket' }, S3Key: { 'Fn::Join': ['', [{ Ref: 'AssetPrefix' }, zip]] } };
};

const placeholders: ReadonlyMap<string, string> = new Map([
  ...Object.entries(table).flatMap(([name, { placeholder }]) => (placeholder ? [[placeholder, name] as const] : [])),
  [deploymentName.placeholder, deploymentName.parameter],
]);
const anyPlaceholder = new RegExp([...placeholders.keys()].map((text) => RegExp.escape(text)).join('|'), 'g');

/** Text with references in place of the placeholders. */
const insertParameters = (text: string): Json => {
  const found = [...text.matchAll(anyPlaceholder)];
  if (found.length === 0) return text;
  const parts: Json[] = [];
  let at = 0;
  for (const { 0: placeholder, index } of found) {
    if (index > at) parts.push(text.slice(at, index));
    parts.push({ Ref: placeholders.get(placeholder) ?? '' });
    at = index + placeholder.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts.length === 1 ? (parts[0] as Json) : { 'Fn::Join': ['', parts] };
};

/** Descriptions take no references. */
const namePlaceholders = (text: string): string => text.replaceAll(anyPlaceholder, (found) => placeholders.get(found) ?? found);
