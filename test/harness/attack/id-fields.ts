/** Finds the fields of a query or a body that take an id. */
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { inputSchema, type Schema } from '../../../shared/contract/openapi/json-schema.ts';

export interface IdField {
  readonly where: 'query' | 'body';
  /** From the root; 0 is the first item of a list. */
  readonly path: readonly (string | number)[];
  /** Prefix of the ids. */
  readonly prefix: string;
}

export const idFieldsOf = ({ query, body }: Endpoint): readonly IdField[] => [
  ...(query ? within(inputSchema(query), [], 'query') : []),
  ...(body ? within(inputSchema(body), [], 'body') : []),
];

const within = (schema: Schema, path: IdField['path'], where: IdField['where']): readonly IdField[] => {
  const prefix = /^\^([a-z]+)_\[0-7\]/.exec(String(schema.pattern ?? ''))?.[1];
  if (prefix) return [{ where, path, prefix }];
  const inner = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  return [
    ...inner.flatMap(([name, one]) => within(one, [...path, name], where)),
    ...(schema.items ? within(schema.items as Schema, [...path, 0], where) : []),
    ...((schema.anyOf ?? []) as readonly Schema[]).flatMap((one) => within(one, path, where)),
  ];
};

/** The free-text fields of a body, as `path.of.the.field`. */
export const textFieldsOf = (schema: Schema, path: readonly string[] = []): readonly string[] => {
  const fixed =
    schema.enum ?? schema.const ?? (/_\[0-7\]/.test(String(schema.pattern ?? '')) || /^date/.test(String(schema.format ?? '')));
  if (schema.type === 'string' && !fixed) return [path.join('.')];
  const inner = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  return [
    ...inner.flatMap(([name, one]) => textFieldsOf(one, [...path, name])),
    ...[schema.items, schema.additionalProperties].flatMap((one) =>
      one && typeof one === 'object' ? textFieldsOf(one as Schema, path) : [],
    ),
    ...((schema.anyOf ?? []) as readonly Schema[]).flatMap((one) => textFieldsOf(one, path)),
  ];
};
