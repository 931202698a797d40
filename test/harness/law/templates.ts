/** The templates of a deployment, synthesized without bundles. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildApp, quickApp } from '../../../infra/app.ts';
import { cacheFolder } from '../../../infra/bundle/build-cached.ts';
import { type Config, readConfig } from '../../../infra/config.ts';
import { DataStack } from '../../../infra/data-stack.ts';
import type { Capability } from '../../../shared/contract/capabilities.ts';
import { capabilitiesOf, endpoints, entryOf, handlerOf } from '../../../shared/contract/index.ts';
import { type Worker, workers } from '../../../shared/contract/runtime/workers.ts';

type Properties = Readonly<Record<string, unknown>>;

export interface Resource {
  readonly stack: string;
  readonly id: string;
  readonly type: string;
  readonly properties: Properties;
  readonly metadata: Properties;
  readonly deletionPolicy: string | undefined;
  /** Logical ids. */
  readonly dependsOn: readonly string[];
}

interface Template {
  readonly Resources: Readonly<
    Record<
      string,
      {
        Type: string;
        Properties?: Properties;
        Metadata?: Properties;
        DeletionPolicy?: string;
        DependsOn?: string | readonly string[];
      }
    >
  >;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
  readonly Rules?: Readonly<Record<string, unknown>>;
}

export const settings = {
  identityClientId: 'client.apps.example.com',
  mailFrom: 'backups@mail.example.com',
  allowedOrigins: 'https://app.example.com',
  allowedRedirectUris: 'https://app.example.com/callback',
};

export const inlineCode = () => Code.fromInline('exports.handler = async () => {}');

/** Each stack's template by id. A configuration is synthesized once for the same sources. */
export const templatesOf = (context: Readonly<Record<string, unknown>> = settings): ReadonlyMap<string, Template> => {
  const config = readConfig(context);
  return new Map(JSON.parse(keptText(JSON.stringify(config), () => JSON.stringify([...synthesized(config)]))));
};

const synthesized = (config: Config): ReadonlyMap<string, Template> => templatesIn(buildApp({ config, code: inlineCode }));

const templatesIn = (app: App): ReadonlyMap<string, Template> => {
  const assembly = app.synth();
  const templates = new Map(assembly.stacks.map((stack) => [stack.id, stack.template as Template]));
  rmSync(assembly.directory, { recursive: true });
  return templates;
};

/** Everything that a synthesis without bundles reads. */
const sources = ['infra/*.*', 'infra/{bundle,part,workflow}/**/*.*', 'shared/contract/**/*.*', 'test/harness/law/templates.ts'];

const keptText = (name: string, make: () => string): string => {
  const folder = cacheFolder({ kind: 'law-templates', from: sources });
  const path = join(folder, createHash('sha256').update(name).digest('hex'));
  if (existsSync(path)) return readFileSync(path, 'utf8');
  const text = make();
  // Atomic, because other test files may write it as well.
  writeFileSync(`${path}-${process.pid}`, text);
  renameSync(`${path}-${process.pid}`, path);
  return text;
};

/** The resources of the data stack, synthesized alone: quicker, but without what the other stacks make it export. */
export const dataResourcesOf = (context: Readonly<Record<string, unknown>>): readonly Resource[] => {
  const app = quickApp();
  new DataStack(app, 'Data', { config: readConfig(context) });
  return resourcesOf(templatesIn(app));
};

export const resourcesOf = (templates: ReadonlyMap<string, Template>): readonly Resource[] =>
  [...templates].flatMap(([stack, { Resources }]) =>
    Object.entries(Resources).map(([id, { Type, Properties = {}, Metadata = {}, DeletionPolicy, DependsOn = [] }]) => ({
      stack,
      id,
      type: Type,
      properties: Properties,
      metadata: Metadata,
      deletionPolicy: DeletionPolicy,
      dependsOn: [DependsOn].flat(),
    })),
  );

/** The logical id behind `Ref`, `Fn::GetAtt` or an import of either. */
export const target = (reference: unknown): string => {
  const { Ref, 'Fn::GetAtt': attribute } = reference as { Ref?: string; 'Fn::GetAtt'?: readonly [string, string] };
  const id = Ref ?? attribute?.[0];
  if (id === undefined) throw new Error(`not a reference within the stack: ${JSON.stringify(reference)}`);
  return id;
};

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly unknown[];
  readonly Condition?: unknown;
}

/** The statements of a role, with single actions and resources as lists. */
export const statementsOf = (role: Resource): readonly Statement[] => {
  const policies = (role.properties.Policies ?? []) as readonly { PolicyDocument: { Statement: readonly Statement[] } }[];
  return policies
    .flatMap((policy) => policy.PolicyDocument.Statement)
    .map((statement) => ({ ...statement, Action: [statement.Action].flat(), Resource: [statement.Resource].flat() }));
};

/** The resource behind a reference within a stack. */
export const resourceAt = (resources: readonly Resource[], stack: string, reference: unknown): Resource => {
  const found = resources.find((resource) => resource.stack === stack && resource.id === target(reference));
  assert.ok(found, `${stack} has no ${JSON.stringify(reference)}`);
  return found;
};

export interface WantedFunction {
  readonly name: string;
  readonly entry: string;
  readonly handler: string;
  readonly capabilities: readonly Capability[];
}

/** Every function of the contract: one per endpoint and one per worker. */
export const wantedFunctions: readonly WantedFunction[] = [
  ...endpoints.map((endpoint) => ({
    name: endpoint.id,
    entry: entryOf(endpoint),
    handler: `index.${handlerOf(endpoint).name}`,
    capabilities: capabilitiesOf(endpoint),
  })),
  ...Object.entries<Worker>(workers).map(([name, { entry, handler = 'handler', capabilities }]) => ({
    name,
    entry,
    handler: `index.${handler}`,
    capabilities,
  })),
];

export const functionOf = (resources: readonly Resource[], { name, entry, handler }: WantedFunction): Resource => {
  const found = resources.filter(
    ({ type, id, metadata, properties }) =>
      type === 'AWS::Lambda::Function' &&
      metadata.entry === entry &&
      properties.Handler === handler &&
      // Two functions may share a handler, so they are identified by name.
      id.replace(/[0-9A-F]{8}$/, '').toLowerCase() === name.replaceAll('.', '').toLowerCase(),
  );
  assert.equal(found.length, 1, `${name}: ${entry} ${handler}`);
  return found[0]!;
};
