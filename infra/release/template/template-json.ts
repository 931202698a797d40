/** A CloudFormation template as data. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A resource; an output has `Value` instead of `Properties`. */
export interface TemplateResource {
  readonly Type?: string;
  readonly Properties?: JsonObject;
  readonly Value?: Json;
  readonly Description?: string;
  readonly DependsOn?: readonly string[];
  readonly Condition?: string;
  readonly Metadata?: JsonObject;
}

type Section = Readonly<Record<string, JsonObject>>;

export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs: Readonly<Record<string, TemplateResource>>;
  readonly Conditions: Section;
  readonly Mappings: Section;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The name of the function that an object calls. */
export const intrinsicOf = (value: Json): string | undefined => {
  if (!isObject(value)) return undefined;
  const [key = '', ...more] = Object.keys(value);
  return more.length === 0 && (key === 'Ref' || key.startsWith('Fn::')) ? key : undefined;
};

/** Replaces every value for which `replace` returns another one, from the outside in. */
export const mapJson = (value: Json, replace: (value: Json) => Json | undefined): Json => {
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) return value.map((element) => mapJson(element, replace));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, its]) => [key, mapJson(its, replace)]));
  return value;
};
