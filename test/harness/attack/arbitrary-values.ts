/** Arbitrary values from a JSON Schema: valid ones, and almost valid ones. */
import fc, { type Arbitrary } from 'fast-check';
import type { Schema } from '../../../shared/contract/openapi/json-schema.ts';

/** Existing ids by prefix, for schemas of ids. */
export type IdsOf = (prefix: string) => readonly string[];

/** Values that a schema allows; `idsOf` is called when a value is drawn. */
export const allowedBy = (schema: Schema, idsOf: IdsOf): Arbitrary<unknown> => {
  const { type, anyOf, oneOf, items, properties = {}, required, additionalProperties, examples: told = [] } = schema as Shape;
  const examples = [...told, ...('default' in schema ? [schema.default] : [])];
  const given = examples.length > 0 ? [fc.constantFrom(...examples)] : [];
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const either = anyOf ?? oneOf;
  if (either) return fc.oneof(...given, ...either.map((one) => allowedBy(one, idsOf)));
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => allowedBy({ ...schema, type: one }, idsOf)));
  if (type === 'string') return textBy(schema as Shape, given as Arbitrary<string>[], idsOf);
  if (type === 'integer' || type === 'number') return fc.oneof(...given, numberBy(schema as Shape));
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'array') {
    const { minItems = 0, maxItems = 4 } = schema as Shape;
    const list = fc.array(allowedBy(items ?? {}, idsOf), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 4) });
    return fc.oneof(...given, list);
  }
  if (type === 'object') {
    if (additionalProperties && typeof additionalProperties === 'object' && Object.keys(properties).length === 0)
      return fc.oneof(
        ...given,
        fc.dictionary(fc.string({ maxLength: 12 }), allowedBy(additionalProperties, idsOf), { maxKeys: 4 }),
      );
    return record(
      Object.entries(properties).map(([name, inner]) => [name, allowedBy(inner, idsOf)] as const),
      required,
    );
  }
  return fc.oneof(...given, fc.jsonValue({ maxDepth: 2 }));
};

/** An object with all required fields and some of the others. */
export const record = (
  fields: readonly (readonly [string, Arbitrary<unknown>])[],
  required: readonly string[] = [],
): Arbitrary<Record<string, unknown>> =>
  fc.record<Record<string, unknown>>(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true });

interface Shape extends Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
  readonly additionalProperties?: boolean | Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

const textBy = ({ pattern, format, minLength = 0, maxLength = 200 }: Shape, given: Arbitrary<string>[], idsOf: IdsOf) => {
  const prefix = /^\^([a-z]+)_\[0-7\]/.exec(pattern ?? '')?.[1];
  // Existing in three of four cases: a call for a missing resource tests little.
  if (prefix)
    return fc.nat(1_000).map((n) => {
      const known = idsOf(prefix);
      return n % 4 > 0 && known.length > 0 ? known[n % known.length]! : `${prefix}_01JZ8Q4V0M6T3X9C2B7N5K1HRD`;
    });
  if (pattern) return fc.oneof(...given, fc.stringMatching(new RegExp(pattern), { size: 'small' }));
  if (format === 'date-time')
    return fc.oneof(
      fc.constantFrom(...moments),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    );
  if (format === 'date') return fc.constantFrom('2026-01-31', '1970-01-01', '9999-12-31', '0000-01-01', '2024-02-29');
  if (format === 'email') return fc.oneof(...given, fc.emailAddress());
  if (format === 'uri') return fc.constantFrom(...addresses);
  const unit = fc.constantFrom(...oddUnits, 'a', 'b', ' ', '/', '-', '.', '0');
  return fc.oneof(
    ...given,
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 200), size: 'small' }),
    fc.string({ unit, minLength, maxLength: Math.min(maxLength, 20) }),
    fc.constant('x'.repeat(Math.min(maxLength, 7_000))),
  );
};

const numberBy = ({ type, minimum = -1_000, maximum = 2 ** 40 }: Shape): Arbitrary<number> =>
  fc.oneof(
    fc.constantFrom(minimum, maximum),
    type === 'integer' ? fc.integer({ min: minimum, max: maximum }) : fc.double({ min: minimum, max: maximum, noNaN: true }),
  );

const moments = [
  '2026-01-31T12:00:00Z',
  '0000-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
  '2026-11-15T12:00:00.123456789+01:00',
];

/** URLs that are unreachable, forbidden or invalid. */
const addresses = [
  'https://localhost:9/hook',
  'https://localhost:9/%00?a=b#c',
  'http://localhost:9/',
  'https://user:pass@localhost:9/',
  'https://169.254.169.254/latest/meta-data/',
  'https://[::1]:9/',
  'https://0x7f.1/',
  'https://xn--n3h.invalid/',
  'javascript:alert(1)',
  'https://localhost:9/ümläut/\u202e',
];

/** NUL, line ends, a lone surrogate, right-to-left, composed and decomposed, invisible, outside the BMP, and `</script>`. */
export const oddUnits = [
  '\u0000',
  '\n',
  '\u2028',
  '\ud800',
  '\udc00',
  '\u202e',
  'é',
  'e\u0301',
  '\u200b',
  '\ufeff',
  '🧪',
  '</script>',
  '\u007f',
];
