import type { Schema } from '../contract/openapi/json-schema.ts';
import { type Html, html } from './html.ts';

interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** A table of the fields, nested ones by path. It marks required fields of requests and optional fields of responses. */
export const fieldTable = (schema: Schema, of: 'request' | 'response'): Html => {
  const fields = fieldsOf(schema, '');
  if (fields.length === 0) return html`<p class="quiet">Empty.</p>`;
  return html`<table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${fields.map((field) => fieldRow(field, of))}</tbody></table>`;
};

const fieldRow = ({ path, schema, isRequired }: Field, of: 'request' | 'response'): Html =>
  html`<tr><td><code>${path}</code>${mark(isRequired, of)}</td><td>${typeText(schema)}</td><td>${notes(schema)}</td></tr>`;

const mark = (isRequired: boolean, of: 'request' | 'response'): Html | false => {
  if (of === 'request') return isRequired && html`<span class="required">required</span>`;
  return !isRequired && html`<span class="quiet"> may be absent</span>`;
};

const fieldsOf = (schema: Schema, prefix: string): readonly Field[] => {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: readonly string[] };
  return Object.entries(properties).flatMap(([name, inner]) => [
    { path: `${prefix}${name}`, schema: inner, isRequired: required.includes(name) },
    ...fieldsOf(inner, `${prefix}${name}.`),
    ...(inner.items ? fieldsOf(inner.items as Schema, `${prefix}${name}[].`) : []),
  ]);
};

/** The type of a value in a few words. */
export const typeText = (schema: Schema): string => {
  const { type, anyOf, $ref, format, items } = schema as Readonly<Record<string, string | readonly string[] | undefined>>;
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? '';
  if (Array.isArray(anyOf)) return (anyOf as unknown as readonly Schema[]).map(typeText).join(' or ');
  if (type === 'array' && items) return `array of ${typeText(items as unknown as Schema)}`;
  if (Array.isArray(type)) return type.join(' or ');
  return [type, format].filter(Boolean).join(', ') || 'any';
};

/** Description, allowed values and bounds of a value. */
export const notes = (schema: Schema): Html => {
  const inner = (schema.items as Schema | undefined) ?? schema;
  const values = (inner.enum as readonly unknown[] | undefined) ?? (inner.const === undefined ? undefined : [inner.const]);
  const bounds = [
    schema.minLength !== undefined && `at least ${schema.minLength} characters`,
    schema.maxLength !== undefined && `at most ${schema.maxLength} characters`,
    schema.minimum !== undefined && `from ${schema.minimum}`,
    schema.maximum !== undefined && `to ${schema.maximum}`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ].filter((bound) => bound !== false);
  return html`${typeof schema.description === 'string' && html`${schema.description}. `}${values && html`${values.length > 1 ? 'One of' : 'Always'} ${values.map((value, n) => html`${n > 0 && ', '}<code>${String(value)}</code>`)}. `}${bounds.length > 0 && html`<span class="quiet">${bounds.join(', ')}</span>`}`;
};
