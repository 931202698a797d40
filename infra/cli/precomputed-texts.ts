/** The texts of the contract that commands refer to. A bundle has their result in place of this file. */
import type * as z from 'zod/mini';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { contract } from '../../shared/contract/index.ts';
import { descriptionOf } from '../../shared/contract/openapi/descriptions.ts';
import { createProgram } from './program.ts';
import { type ContractTexts, referencesIn } from './texts/contract-text.ts';

export const precomputedTexts = (): ContractTexts => {
  const { stdin, stdout, stderr } = process;
  const program = createProgram({ args: [], env: {}, stdin, stdout, stderr, signal: new AbortController().signal });
  return Object.fromEntries(referencesIn(program).map((reference) => [reference, textOf(reference)]));
};

const endpoints = new Map<string, Endpoint>(
  Object.values(contract)
    .flatMap((rows): Endpoint[] => Object.values(rows))
    .map((endpoint) => [`${endpoint.method} ${endpoint.path.replace(/^\/api\/v1/, '')}`, endpoint]),
);

const textOf = (reference: string): string => {
  const [route = '', field] = reference.slice(1).split('#');
  const endpoint = endpoints.get(route);
  const text = field === undefined ? endpoint?.summary : endpoint && fieldText([endpoint.query, endpoint.body], field.split('.'));
  if (text === undefined) throw new Error(`the contract has no text for ${reference}`);
  return text;
};

type Schema = z.core.$ZodType;

const fieldText = (schemas: readonly (Schema | undefined)[], [name = '', ...inner]: readonly string[]): string | undefined => {
  const fields = schemas.flatMap((schema) => fieldsOf(schema, name));
  if (inner.length > 0) return fieldText(fields, inner);
  for (const field of fields) {
    const text = descriptionOf(field, name);
    if (text !== undefined) return text + defaultOf(field);
  }
  return undefined;
};

/** The fields of this name in an object, in one that is optional, or in the variants of a union. */
const fieldsOf = (schema: Schema | undefined, name: string): readonly Schema[] => {
  const { shape, innerType, options } = (schema?._zod.def ?? {}) as {
    readonly shape?: Readonly<Record<string, Schema>>;
    readonly innerType?: Schema;
    readonly options?: readonly Schema[];
  };
  const own = shape?.[name];
  return [...(own ? [own] : []), ...[innerType, ...(options ?? [])].flatMap((one) => (one ? fieldsOf(one, name) : []))];
};

const defaultOf = (field: Schema): string => {
  const { defaultValue } = field._zod.def as { readonly defaultValue?: unknown };
  return typeof defaultValue === 'string' || typeof defaultValue === 'number' ? ` (default: ${defaultValue})` : '';
};
