import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { isZodError } from '../base/zod-error.ts';
import { type FieldPath, parseFieldPath } from '../value/field-path.ts';

export type QueryScope = 'COLLECTION' | 'COLLECTION_GROUP';
export type IndexKind = 'ASCENDING' | 'DESCENDING' | 'CONTAINS';

/** One field of a composite index. */
export interface IndexField {
  readonly path: FieldPath;
  /** The path as it was written. */
  readonly text: string;
  readonly kind: IndexKind | 'VECTOR';
  /** Of a vector. */
  readonly dimension?: number;
}

export interface CompositeIndex {
  readonly collectionId: string;
  readonly scope: QueryScope;
  readonly fields: readonly IndexField[];
}

/** The single-field indexes of one field, instead of the automatic ones. */
interface FieldOverride {
  readonly collectionGroup: string;
  readonly fieldPath: string;
  readonly indexes: readonly { readonly scope: QueryScope; readonly kind: IndexKind }[];
}

const Mode = {
  order: z.optional(z.enum(['ASCENDING', 'DESCENDING'])),
  /** The newer name of `order`. */
  mode: z.optional(z.enum(['ASCENDING', 'DESCENDING', 'ARRAY_CONTAINS'])),
  arrayConfig: z.optional(z.literal('CONTAINS')),
};
const Scope = z._default(z.enum(['COLLECTION', 'COLLECTION_GROUP']), 'COLLECTION');
const Field = z.object({
  fieldPath: z.string().check(z.minLength(1)),
  ...Mode,
  vectorConfig: z.optional(z.object({ dimension: z.coerce.number().check(z.int(), z.positive()) })),
});
const IndexFile = z.object({
  indexes: z._default(
    z.array(
      z.object({
        collectionGroup: z.string().check(z.minLength(1)),
        queryScope: Scope,
        fields: z.array(Field).check(z.minLength(1)),
      }),
    ),
    [],
  ),
  fieldOverrides: z._default(
    z.array(
      z.object({
        collectionGroup: z.string().check(z.minLength(1)),
        fieldPath: z.string().check(z.minLength(1)),
        indexes: z._default(z.array(z.object({ queryScope: Scope, ...Mode })), []),
      }),
    ),
    [],
  ),
});
type Modes = Pick<z.output<typeof Field>, 'order' | 'mode' | 'arrayConfig'>;
type Override = ReadonlyMap<QueryScope, ReadonlySet<IndexKind>>;

/** The indexes of a `firestore.indexes.json`: its composite indexes, and the automatic single-field indexes with its overrides. */
export class IndexDefinitions {
  readonly composites: readonly CompositeIndex[];
  /** The overrides as they were written. */
  readonly overrides: readonly FieldOverride[];
  readonly #overrides = new Map<string, Override>();

  /** Comments are allowed, as for the Firebase CLI. Throws an error of one line for an invalid file. */
  constructor(text: string) {
    const { indexes, fieldOverrides } = parse(text);
    this.composites = indexes.map(({ collectionGroup, queryScope, fields }) => ({
      collectionId: collectionGroup,
      scope: queryScope,
      fields: fields.map(({ fieldPath, vectorConfig, ...modes }) => ({
        path: pathOf(fieldPath),
        text: fieldPath,
        ...(vectorConfig ? { kind: 'VECTOR' as const, dimension: vectorConfig.dimension } : { kind: kindOf(modes) }),
      })),
    }));
    this.overrides = fieldOverrides.map(({ collectionGroup, fieldPath, indexes: kinds }) => ({
      collectionGroup,
      fieldPath,
      indexes: kinds.map(({ queryScope: scope, ...modes }) => ({ scope, kind: kindOf(modes) })),
    }));
    for (const { collectionGroup, fieldPath, indexes: kinds } of this.overrides) {
      const override = new Map<QueryScope, Set<IndexKind>>();
      for (const { scope, kind } of kinds) override.set(scope, new Set([...(override.get(scope) ?? []), kind]));
      this.#overrides.set(overrideKey(collectionGroup, pathOf(fieldPath)), override);
    }
  }

  /** The single-field indexes of a field. An override of a map applies to its fields, one of `*` to all fields of a collection. */
  singleField(collectionId: string, path: FieldPath, scope: QueryScope): ReadonlySet<IndexKind> {
    for (let length = path.length; length > 0; length--) {
      const found = this.#overrides.get(overrideKey(collectionId, path.slice(0, length)));
      if (found) return found.get(scope) ?? none;
    }
    const fallback = this.#overrides.get(overrideKey(collectionId, ['*']));
    return fallback ? (fallback.get(scope) ?? none) : scope === 'COLLECTION' ? automatic : none;
  }
}

/** Every field has these, in the scope of its collection. */
const automatic: ReadonlySet<IndexKind> = new Set(['ASCENDING', 'DESCENDING', 'CONTAINS']);
const none: ReadonlySet<IndexKind> = new Set();

const parse = (text: string): z.output<typeof IndexFile> => {
  // Strings first, so that a comment sign inside one is kept.
  const json = text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) => (found.startsWith('"') ? found : ''));
  try {
    return IndexFile.parse(JSON.parse(json), { error: en().localeError });
  } catch (error) {
    const reason = isZodError(error) ? z.prettifyError(error).replaceAll(/\s+/g, ' ') : (error as Error).message;
    throw new Error(`invalid index definitions: ${reason}`, { cause: error });
  }
};

const kindOf = ({ order, mode, arrayConfig }: Modes): IndexKind =>
  arrayConfig || mode === 'ARRAY_CONTAINS' ? 'CONTAINS' : (order ?? mode ?? 'ASCENDING');

const pathOf = (fieldPath: string): FieldPath => (fieldPath === '*' ? ['*'] : parseFieldPath(fieldPath));
const overrideKey = (collectionId: string, path: FieldPath): string => JSON.stringify([collectionId, ...path]);
