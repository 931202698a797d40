/** Reads the synthesized stacks: resources with physical names and resolved properties. */
import type { Resource } from '../base/types.ts';
import { type Physical, physicalOf, type StageLocation } from './physical-names.ts';
import { type Names, noValue, resolve } from './resolve-intrinsics.ts';

interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: unknown } }>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
}

/** Templates by stack name. */
export type Stacks = Readonly<Record<string, Template>>;

/** Attributes that only a running engine knows (such as a stream's ARN), by logical id. */
type Learned = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface ResolvedResource extends Resource {
  readonly stack: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Reads the resources of the given types, or all. Read the types that engines create first, with nothing learned;
 * the others may refer to attributes that the engines return (`learned`).
 */
export const readResources = (
  stacks: Stacks,
  {
    location,
    learned = {},
    types,
  }: {
    readonly location: StageLocation;
    readonly learned?: Learned | undefined;
    readonly types?: ReadonlySet<string> | undefined;
  },
): readonly ResolvedResource[] =>
  Object.entries(stacks).flatMap(([stack, template]) => {
    const { physical, ...names } = namesIn(stack, { stacks, location, learned });
    return Object.entries(template.Resources)
      .filter(([, { Type }]) => Type !== 'AWS::CDK::Metadata' && (types?.has(Type) ?? true))
      .map(([logicalId, { Type, Properties, Metadata }]) => {
        const { name, arn } = physical(logicalId);
        const properties = resolve(Properties ?? {}, names) as Record<string, unknown>;
        return { stack, logicalId, type: Type, name, arn, properties, metadata: Metadata ?? {} };
      });
  });

interface StackNames extends Names {
  physical(logicalId: string): Physical;
}

const namesIn = (
  stack: string,
  { stacks, location, learned }: { readonly stacks: Stacks; readonly location: StageLocation; readonly learned: Learned },
): StackNames => {
  const pseudo: Readonly<Record<string, unknown>> = {
    'AWS::Region': location.region,
    'AWS::AccountId': location.account,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stack,
    'AWS::StackId': `arn:aws:cloudformation:${location.region}:${location.account}:stack/${stack}/local`,
    'AWS::NoValue': noValue,
  };
  const physical = (logicalId: string): Physical => {
    const resource = stacks[stack]?.Resources[logicalId];
    if (!resource) throw new Error(`stack ${stack} refers to ${logicalId}, which it does not contain`);
    const chosen = (property: string): unknown => resolve(resource.Properties?.[property], names);
    return physicalOf({ type: resource.Type, stack, logicalId, chosen }, location);
  };
  const names: StackNames = {
    physical,
    ref: (id) => {
      if (id in pseudo) return pseudo[id];
      const parameter = stacks[stack]?.Parameters?.[id];
      return parameter ? parameter.Default : (learned[id]?.Ref ?? physical(id).ref);
    },
    attribute: (id, name) => {
      const value = learned[id]?.[name] ?? physical(id).attributes[name];
      if (value === undefined) throw new Error(`stack ${stack} refers to ${id}.${name}, which the local stage does not support`);
      return value;
    },
    imported: (exportName) => {
      for (const [exporter, { Outputs = {} }] of Object.entries(stacks)) {
        const theirs = namesIn(exporter, { stacks, location, learned });
        for (const { Value, Export } of Object.values(Outputs)) {
          if (Export && resolve(Export.Name, theirs) === exportName) return resolve(Value, theirs);
        }
      }
      throw new Error(`no stack exports ${exportName}, which ${stack} imports`);
    },
  };
  return names;
};
