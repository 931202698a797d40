import type { Schema } from '../../../shared/contract/openapi/json-schema.ts';

/** A schema of the OpenAPI document as a TypeScript type. Its objects and arrays are readonly, so that they fit as input and as output. */
export const typeText = (schema: Schema, indent = ''): string => {
  const { $ref, anyOf, oneOf = anyOf, type, items } = schema as TypedSchema;
  if ($ref !== undefined) return $ref.replace('#/components/schemas/', '');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (oneOf) return union(oneOf.map((one) => typeText(one, indent)));
  if (Array.isArray(type)) return union(type.map((one) => typeText({ ...schema, type: one }, indent)));
  if (type === 'array') return `readonly ${inArray(typeText(items ?? {}, indent))}[]`;
  if (type === 'object') return objectText(schema, indent);
  return scalars[String(type)] ?? 'unknown';
};

interface TypedSchema extends Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const inArray = (text: string): string => (/^[\w.]+$|^\{[^|&]*\}$/.test(text) ? text : `(${text})`);

const objectText = (schema: Schema, indent: string): string => {
  const { properties = {}, required = [], additionalProperties } = schema as TypedSchema;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const [optional, orUndefined] = required.includes(name) ? ['', ''] : ['?', ' | undefined'];
    return `${docText(field.description, inner)}${inner}readonly ${nameText(name)}${optional}: ${typeText(field, inner)}${orUndefined};\n`;
  });
  if (typeof additionalProperties === 'object') {
    const value = typeText(additionalProperties, inner);
    if (fields.length === 0) return `{ readonly [name: string]: ${value} }`;
    fields.push(`${inner}readonly [name: string]: unknown;\n`);
  }
  if (fields.length > 0) return `{\n${fields.join('')}${indent}}`;
  return additionalProperties === false ? 'Record<string, never>' : '{ readonly [name: string]: unknown }';
};

const nameText = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** A documentation comment, if there is a text. */
export const docText = (text: unknown, indent = ''): string =>
  typeof text === 'string' && text !== '' ? `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n` : '';
