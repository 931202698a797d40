/** Reads the synthesized stacks: resources with physical names and resolved properties. */
import type { Resource } from '../base/types.ts';
import { type Physical, physicalOf, type StageLocation } from './physical-names.ts';
import { isTrue, type Names, noValue, resolve } from './resolve-intrinsics.ts';

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
  readonly Condition?: string;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

interface TemplateOutput {
  readonly Value: unknown;
  readonly Description?: string;
  readonly Condition?: string;
  readonly Export?: { readonly Name: unknown };
}

interface TemplateParameter {
  readonly Type?: string;
  readonly Default?: unknown;
  readonly Description?: string;
  readonly AllowedValues?: readonly unknown[];
  readonly MinLength?: number;
}

interface TemplateRule {
  readonly Assertions: readonly { readonly Assert: unknown; readonly AssertDescription?: string }[];
}

export interface Template {
  readonly Description?: string;
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, TemplateOutput>>;
  readonly Parameters?: Readonly<Record<string, TemplateParameter>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Mappings?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly Rules?: Readonly<Record<string, TemplateRule>>;
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

export interface StackNames extends Names {
  physical(logicalId: string): Physical;
}

interface NamesOptions {
  /** The templates of the stack, and of those from which it imports. */
  readonly stacks: Stacks;
  readonly location: StageLocation;
  readonly learned: Learned;
  /** Values of the template's parameters; others have their defaults. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Finds an export; by default among `stacks`. */
  readonly imported?: (exportName: string) => unknown;
}

export const namesIn = (stack: string, { stacks, location, learned, parameters = {}, imported }: NamesOptions): StackNames => {
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
      return parameter ? (parameters[id] ?? parameter.Default) : (learned[id]?.Ref ?? physical(id).ref);
    },
    attribute: (id, name) => {
      const value = learned[id]?.[name] ?? physical(id).attributes[name];
      if (value === undefined) throw new Error(`stack ${stack} refers to ${id}.${name}, which the local stage does not support`);
      return value;
    },
    condition: (name) => {
      const condition = stacks[stack]?.Conditions?.[name];
      if (condition === undefined) throw new Error(`stack ${stack} refers to the condition ${name}, which it does not contain`);
      return isTrue(condition, names);
    },
    mapped: (map, row, column) => {
      const value = stacks[stack]?.Mappings?.[map]?.[row]?.[column];
      if (value === undefined) throw new Error(`stack ${stack} has no ${map}.${row}.${column} in its mappings`);
      return value;
    },
    imported: (exportName) => {
      if (imported) return imported(exportName);
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
