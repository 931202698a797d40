/** Masked copies: the rules of a restore into another project, and what the restore reports about them. */
import * as z from 'zod/mini';
import { transformRulesMax } from '../limits.ts';
import { DocumentFields } from './backup.ts';

export const transforms = ['redact', 'hash', 'fake', 'null', 'keep'] as const;
export const fakeTypes = [
  'name',
  'firstName',
  'lastName',
  'username',
  'email',
  'phone',
  'address',
  'street',
  'city',
  'postalCode',
  'country',
  'company',
  'iban',
  'creditCard',
  'ip',
  'url',
  'date',
  'text',
  'uuid',
] as const;
export type FakeType = (typeof fakeTypes)[number];

const bare = (text: string): string => text.toLowerCase().replace(/[\s_.-]+/g, '');

/** Letter case and separators do not matter: "e-mail" is email, "IBAN" is iban and "credit_card" is creditCard. */
const word = <const T extends readonly [string, ...string[]]>(words: T) =>
  z
    .pipe(
      z.transform((given) => (typeof given === 'string' ? (words.find((one) => bare(one) === bare(given)) ?? given) : given)),
      z.enum(words),
    )
    .check(z.meta({ type: 'string', enum: [...words] }));

const path = z.string().check(
  z.minLength(1, 'must not be empty'),
  z.maxLength(1_500, 'must have at most 1500 characters'),
  z.refine((text) => text.isWellFormed(), 'must be well-formed text'),
);

/** As in responses. */
export const TransformRule = z.object({
  collection: z.string(),
  field: z.string(),
  transform: z.enum(transforms),
  type: z.optional(z.enum(fakeTypes)),
});
export type TransformRule = z.output<typeof TransformRule>;

const RuleRequest = z
  .strictObject({
    collection: path,
    field: path,
    transform: word(transforms),
    type: z.optional(word(fakeTypes)),
  })
  .check(
    z.refine(({ transform, type }) => transform !== 'fake' || type !== undefined, {
      path: ['type'],
      message: `is required with fake, one of ${fakeTypes.join(', ')}`,
    }),
    z.refine(({ transform, type }) => transform === 'fake' || type === undefined, {
      path: ['type'],
      message: 'belongs to fake and must not be combined with another transform',
    }),
  );

/** Metadata of an object: a list in place of it is short for an object with this field. */
export const listShorthand = 'x-list-shorthand';

/** A list of rules alone is short for `{rules}`. */
export const Transform = z
  .pipe(
    z.transform((given) => (Array.isArray(given) ? { rules: given } : given)),
    z.strictObject({
      allowUnmatched: z._default(z.boolean('must be true or false'), false),
      rules: z
        .array(RuleRequest)
        .check(
          z.minLength(1, 'must have a rule'),
          z.maxLength(transformRulesMax, `must have at most ${transformRulesMax} rules`),
        ),
    }),
  )
  .check(z.meta({ [listShorthand]: 'rules' }));

/** The masking of a restore; numbers are null until the whole backup is checked. */
export const TransformSummary = z.object({
  rules: z.int(),
  allowUnmatched: z.boolean(),
  documentsTransformed: z.nullable(z.int()),
  fieldsTransformed: z.nullable(z.int()),
  unmatchedRules: z.array(TransformRule),
});

/** Each rule with the number of documents in which it found its field. */
export const RuleMatch = z.extend(TransformRule, { documents: z.nullable(z.int()) });

export const TransformPreview = z.object({
  path: z.string(),
  before: DocumentFields,
  after: DocumentFields,
  rules: z.array(TransformRule),
  truncated: z.boolean(),
});
