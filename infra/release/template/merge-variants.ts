/**
 * Merges templates that were synthesized with different values of one setting into one that has a parameter instead. Where they differ, it
 * decides by the parameter: `Fn::If` where something is present or not, `Fn::FindInMap` where a value follows the parameter.
 */
import { isDeepStrictEqual as equal } from 'node:util';
import { intrinsicOf, isObject, type Json, type JsonObject, type Template, type TemplateResource } from './template-json.ts';

/** A parameter and the variants that were synthesized for it. */
export interface Choice {
  readonly parameter: string;
  /** Other parameters that are set together with it. */
  readonly isOptional: boolean;
  readonly variants: ReadonlyMap<string, Template>;
}

/** Of an optional parameter: left empty, or given. */
export const variantNames = { empty: 'empty', given: 'given' } as const;

type Variants = ReadonlyMap<string, Json | undefined>;

export const mergeVariants = (choice: Choice): Template => {
  const conditions: Record<string, JsonObject> = {};
  const lookups = new Map<string, Readonly<Record<string, string>>>();
  const { parameter, isOptional } = choice;

  const conditionOn = (values: readonly string[]): string => {
    const tests = values.map((value): JsonObject => ({ 'Fn::Equals': [{ Ref: parameter }, value] }));
    const name = isOptional ? `Has${parameter}` : `${parameter}Is${values.join('Or')}`;
    conditions[name] = isOptional
      ? { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: parameter }, ''] }] }
      : tests.length === 1
        ? (tests[0] as JsonObject)
        : { 'Fn::Or': tests };
    return name;
  };

  /** `Fn::If` over groups of variants with one result each; the last group needs no condition. */
  const decide = (groups: readonly { readonly values: readonly string[]; readonly result: Json | undefined }[]): Json => {
    // An optional parameter has one condition, that it is given.
    const [first, ...rest] = groups.toSorted(({ values: [a = ''] }, { values: [b = ''] }) => (isOptional && a > b ? -1 : 0));
    const result = first?.result ?? { Ref: 'AWS::NoValue' };
    return first && rest.length > 0 ? { 'Fn::If': [conditionOn(first.values), result, decide(rest)] } : result;
  };

  const lookUp = (variants: ReadonlyMap<string, string>): Json => {
    const [texts, before, after] = differingPart([...variants.values()]);
    const row = Object.fromEntries([...variants.keys()].map((value, n) => [value, texts[n] ?? '']));
    const known = [...lookups].find(([, other]) => equal(other, row))?.[0];
    const key = known ?? `Value${lookups.size + 1}`;
    lookups.set(key, row);
    const found: Json = { 'Fn::FindInMap': [`${parameter}Values`, { Ref: parameter }, key] };
    return before === '' && after === '' ? found : { 'Fn::Join': ['', [before, found, after].filter((part) => part !== '')] };
  };

  const merge = (variants: Variants): Json | undefined => {
    const [[, first] = ['', undefined], ...others] = [...variants];
    if (others.every(([, other]) => equal(other, first))) return first;
    if ([...variants.values()].every((value) => isObjectList(value)))
      return mergeLists(variants as ReadonlyMap<string, readonly Json[]>);
    const groups = [...Map.groupBy(variants, ([, value]) => shapeOf(value)).values()].map((group) => new Map(group));
    if (groups.length > 1)
      return decide(groups.map((group) => ({ values: [...group.keys()], result: merge(group) ?? undefined })));
    if (isObject(first) && !intrinsicOf(first)) return mergeKeys(variants as ReadonlyMap<string, JsonObject>);
    if (Array.isArray(first)) return mergeElements(variants as ReadonlyMap<string, readonly Json[]>);
    if (isObject(first) && 'Fn::Join' in first) {
      const parts = new Map([...variants].map(([value, its]) => [value, (its as { 'Fn::Join': Json })['Fn::Join']]));
      return { 'Fn::Join': merge(parts) as Json };
    }
    if (!isOptional && !isObject(first)) return lookUp(new Map([...variants].map(([value, its]) => [value, String(its)])));
    const equals = [...Map.groupBy(variants, ([, value]) => JSON.stringify(value)).values()];
    return decide(equals.map((group) => ({ values: group.map(([value]) => value), result: group[0]?.[1] })));
  };

  const mergeKeys = (variants: ReadonlyMap<string, JsonObject>): JsonObject => {
    const keys = new Set([...variants.values()].flatMap((object) => Object.keys(object)));
    const merged: Record<string, Json> = {};
    for (const key of keys) {
      const value = merge(new Map([...variants].map(([name, object]) => [name, object[key]])));
      if (value !== undefined) merged[key] = value;
    }
    return merged;
  };

  const mergeElements = (variants: ReadonlyMap<string, readonly Json[]>): Json => {
    const length = [...variants.values()][0]?.length ?? 0;
    return Array.from({ length }, (_, n) => merge(new Map([...variants].map(([name, list]) => [name, list[n]]))) ?? null);
  };

  /** Lists of objects, such as statements: an element that some variants lack is `AWS::NoValue` in them. */
  const mergeLists = (variants: ReadonlyMap<string, readonly Json[]>): Json => {
    const lists = [...variants.values()];
    if (lists.every(({ length }) => length === lists[0]?.length)) return mergeElements(variants);
    return unionInOrder(lists).map(
      (element) =>
        merge(
          new Map([...variants].map(([value, list]) => [value, list.some((own) => equal(own, element)) ? element : undefined])),
        ) ?? null,
    );
  };

  /** Resources and outputs cannot be values of `Fn::If`: what some variants lack gets a condition. */
  const mergeEntry = (id: string, variants: ReadonlyMap<string, TemplateResource | undefined>): TemplateResource => {
    const present = new Map([...variants].flatMap(([value, entry]) => (entry ? [[value, entry] as const] : [])));
    const [first] = present.values();
    if (!first) throw new Error(`no variant has ${id}`);
    const { Properties, Value, DependsOn: _, ...fixed } = first;
    for (const { Properties: _properties, Value: _value, DependsOn: _depends, ...other } of present.values())
      if (!equal(other, fixed)) throw new Error(`${parameter} changes ${id} in a way that no condition can express`);
    const dependsOn = [...new Set([...present.values()].flatMap(({ DependsOn = [] }) => DependsOn))];
    const pick = (key: 'Properties' | 'Value') => merge(new Map([...present].map(([value, entry]) => [value, entry[key]])));
    return {
      ...fixed,
      ...(Properties !== undefined && { Properties: pick('Properties') as JsonObject }),
      ...(Value !== undefined && { Value: pick('Value') as Json }),
      ...(dependsOn.length > 0 && { DependsOn: dependsOn }),
      ...(present.size < variants.size && { Condition: conditionOn([...present.keys()]) }),
    };
  };

  const mergeSection = (section: 'Resources' | 'Outputs'): Readonly<Record<string, TemplateResource>> => {
    const ids = new Set([...choice.variants.values()].flatMap((template) => Object.keys(template[section])));
    return Object.fromEntries(
      [...ids].map((id) => [
        id,
        mergeEntry(id, new Map([...choice.variants].map(([value, template]) => [value, template[section][id]]))),
      ]),
    );
  };

  const Resources = mergeSection('Resources');
  const Outputs = mergeSection('Outputs');
  const values = [...choice.variants.keys()];
  const Mappings = Object.fromEntries(
    lookups.size === 0
      ? []
      : [
          [
            `${parameter}Values`,
            Object.fromEntries(
              values.map((value) => [
                value,
                Object.fromEntries([...lookups].flatMap(([key, row]) => (row[value] === undefined ? [] : [[key, row[value]]]))),
              ]),
            ),
          ],
        ],
  );
  return { Resources, Outputs, Conditions: conditions, Mappings };
};

const isObjectList = (value: Json | undefined): boolean => Array.isArray(value) && value.length > 0 && value.every(isObject);

/** All elements once, each after those that precede it in its own list. */
const unionInOrder = (lists: readonly (readonly Json[])[]): readonly Json[] => {
  const union: Json[] = [];
  for (const list of lists) {
    let at = 0;
    for (const element of list) {
      const known = union.findIndex((other) => equal(other, element));
      if (known >= 0) at = known + 1;
      else union.splice(at++, 0, element);
    }
  }
  return union;
};

/** Values of one shape can be merged part by part. */
const shapeOf = (value: Json | undefined): string => {
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return `list of ${value.length}`;
  const intrinsic = intrinsicOf(value);
  if (intrinsic === 'Fn::Join') return `join of ${((value as { 'Fn::Join': [string, Json[]] })['Fn::Join'][1] ?? []).length}`;
  return intrinsic ?? (isObject(value) ? 'object' : 'scalar');
};

/** The part in which texts differ, and what is common before and after it. Numbers and words stay whole. */
const differingPart = (texts: readonly string[]): readonly [readonly string[], string, string] => {
  const [first = ''] = texts;
  const isInside = (text: string, at: number): boolean => /\w/.test(text[at - 1] ?? '') && /\w/.test(text[at] ?? '');
  let start = 0;
  while (start < first.length && texts.every((text) => text[start] === first[start])) start += 1;
  while (start > 0 && texts.some((text) => isInside(text, start))) start -= 1;
  let end = 0;
  const shortest = Math.min(...texts.map(({ length }) => length)) - start;
  while (end < shortest && texts.every((text) => text.at(-1 - end) === first.at(-1 - end))) end += 1;
  while (end > 0 && texts.some((text) => isInside(text, text.length - end))) end -= 1;
  return [texts.map((text) => text.slice(start, text.length - end)), first.slice(0, start), first.slice(first.length - end)];
};
