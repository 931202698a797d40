/** Checks a template with its parameters, and brings its resources into the order of their dependencies. */
import { AwsError } from '../../base/aws-service.ts';
import type { StageLocation } from '../../cloudformation/physical-names.ts';
import { namesIn, type StackNames, type Template, type TemplateResource } from '../../cloudformation/read-template.ts';
import { isTrue } from '../../cloudformation/resolve-intrinsics.ts';
import type { Target } from './stack-state.ts';

export const invalid = (message: string): AwsError => new AwsError('ValidationError', message);

export interface Surroundings {
  readonly stackName: string;
  readonly location: StageLocation;
  readonly imported: (exportName: string) => unknown;
}

export interface ReadTarget {
  readonly names: StackNames;
  /** Those whose condition holds; what a resource needs comes before it. */
  readonly resources: readonly (readonly [string, TemplateResource])[];
  /** `Ref` and attributes that are known after a resource was made. */
  readonly learned: Record<string, Record<string, string>>;
}

export const parseTemplate = (text: string): Template => {
  let template: Template;
  try {
    template = JSON.parse(text) as Template;
  } catch {
    throw invalid('Template format error: the local stage reads JSON only');
  }
  if (Object.keys(template.Resources ?? {}).length === 0)
    throw invalid('Template format error: At least one Resources member must be defined.');
  if (Object.keys(template.Resources).length > 500)
    throw invalid('Template format error: Number of resources is greater than maximum allowed, 500');
  return template;
};

export const readTarget = (target: Target, { stackName, location, imported }: Surroundings): ReadTarget => {
  const { template, parameters } = target;
  checkParameters(template, parameters);
  const learned: ReadTarget['learned'] = {};
  const names = namesIn(stackName, { stacks: { [stackName]: template }, location, learned, parameters, imported });
  for (const { Assertions } of Object.values(template.Rules ?? {}))
    for (const { Assert, AssertDescription = 'Rule failed' } of Assertions)
      if (!isTrue(Assert, names)) throw invalid(`Template validation error: ${AssertDescription}`);
  const included = Object.entries(template.Resources).filter(
    ([, { Condition }]) => Condition === undefined || names.condition(Condition),
  );
  for (const [id, { Type }] of included)
    if (Type === 'AWS::DynamoDB::Table') learned[id] = { StreamArn: `${names.physical(id).arn}/stream/${streamCreated}` };
  return { names, learned, resources: sorted(included, template) };
};

/** The ARN of a stream ends in the time at which it was created. */
const streamCreated = '2026-01-01T00:00:00.000';

const checkParameters = ({ Parameters = {} }: Template, given: Readonly<Record<string, string>>): void => {
  const unknown = Object.keys(given).filter((name) => !(name in Parameters));
  if (unknown.length > 0) throw invalid(`Parameters: [${unknown.join(', ')}] do not exist in the template`);
  const missing = Object.entries(Parameters).filter(([name, { Default }]) => given[name] === undefined && Default === undefined);
  if (missing.length > 0) throw invalid(`Parameters: [${missing.map(([name]) => name).join(', ')}] must have values`);
  for (const [name, { AllowedValues, MinLength = 0, Default }] of Object.entries(Parameters)) {
    const value = given[name] ?? String(Default);
    if (AllowedValues && !AllowedValues.map(String).includes(value))
      throw invalid(`Parameter '${name}' must be one of AllowedValues`);
    if (value.length < MinLength) throw invalid(`Parameter '${name}' must contain at least ${MinLength} characters`);
  }
};

/** Depth first. A resource that needs itself cannot be created. */
const sorted = (
  resources: readonly (readonly [string, TemplateResource])[],
  { Resources }: Template,
): readonly (readonly [string, TemplateResource])[] => {
  const included = new Map(resources);
  const done = new Set<string>();
  const open = new Set<string>();
  const order: (readonly [string, TemplateResource])[] = [];
  const visit = (id: string): void => {
    const resource = included.get(id);
    if (!resource || done.has(id)) return;
    if (open.has(id)) throw invalid(`Circular dependency between resources: [${[...open].join(', ')}]`);
    open.add(id);
    for (const needed of [...[resource.DependsOn ?? []].flat(), ...referencesIn(resource.Properties)])
      if (needed in Resources) visit(needed);
      else if ([resource.DependsOn ?? []].flat().includes(needed))
        throw invalid(
          `Template format error: Unresolved resource dependencies [${needed}] in the Resources block of the template`,
        );
    open.delete(id);
    done.add(id);
    order.push([id, resource]);
  };
  for (const id of included.keys()) visit(id);
  return order;
};

const referencesIn = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Sub': template } = value as Readonly<Record<string, unknown>>;
  if (typeof Ref === 'string') return [Ref];
  if (attribute !== undefined) return [String(Array.isArray(attribute) ? attribute[0] : attribute).split('.')[0] ?? ''];
  const text = [template].flat()[0];
  const named = typeof text === 'string' ? [...text.matchAll(/\$\{([^!}.]+)/g)].map(([, name = '']) => name) : [];
  return [...named, ...Object.values(value).flatMap(referencesIn)];
};
