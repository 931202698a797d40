/** What differs between two configurations of a database. Pure. */
import type {
  CompositeIndex,
  Configuration,
  ConfigurationDifference,
  ConfigurationPart,
  FieldSettings,
  RulesRelease,
} from '../../contract/models/configuration.ts';

/** One thing of a configuration. Its name is the same in every configuration. */
export interface ConfigurationItem extends Omit<ConfigurationDifference, 'change' | 'before' | 'after'> {
  /** What is compared, in words; for rules their text. */
  readonly value: string;
}

export interface ConfigurationComparison {
  readonly differences: readonly ConfigurationDifference[];
  /** Parts that one of the two does not know: nothing is said about them. */
  readonly unknown: readonly ConfigurationPart[];
  readonly equal: number;
}

export const compareConfigurations = (before: Configuration, after: Configuration): ConfigurationComparison => {
  const unknown = (['settings', 'indexes', 'fields', 'rules'] as const).filter(
    (part) => before[part].state !== 'captured' || after[part].state !== 'captured',
  );
  const known = (item: ConfigurationItem): boolean => !unknown.includes(item.part);
  const old = keyed(configurationItems(before).filter(known));
  const now = keyed(configurationItems(after).filter(known));
  const all = [...new Map([...old, ...now]).entries()].map(([key, { value: _, ...item }]): ConfigurationDifference => {
    const [was, is] = [old.get(key)?.value ?? null, now.get(key)?.value ?? null];
    return { ...item, change: was === null ? 'added' : is === null ? 'removed' : 'changed', before: was, after: is };
  });
  const differences = all.filter((one) => one.before !== one.after);
  return { differences, unknown, equal: all.length - differences.length };
};

const keyed = (items: readonly ConfigurationItem[]): ReadonlyMap<string, ConfigurationItem> =>
  new Map(items.map((item) => [`${item.kind} ${item.name}`, item]));

/** Everything of a configuration, one by one. */
export const configurationItems = ({ settings, indexes, fields, rules }: Configuration): readonly ConfigurationItem[] => [
  ...Object.entries(settings.value ?? {}).map(([name, value]) => ({
    part: 'settings' as const,
    kind: 'setting' as const,
    name,
    collectionGroup: null,
    value: String(value),
  })),
  ...indexes.items.map((index) => ({
    part: 'indexes' as const,
    kind: 'index' as const,
    name: describeIndex(index),
    collectionGroup: index.collectionGroup,
    value: 'exists',
  })),
  ...fields.items.flatMap(fieldItems),
  ...rules.items.map((release) => ({
    part: 'rules' as const,
    kind: 'rules' as const,
    name: release.release,
    collectionGroup: null,
    value: textOfRules(release),
  })),
];

const fieldItems = ({ collectionGroup, fieldPath, indexes, ttl }: FieldSettings): readonly ConfigurationItem[] => {
  const item = { part: 'fields' as const, name: `${collectionGroup}.${fieldPath}`, collectionGroup };
  return [
    ...(indexes ? [{ ...item, kind: 'field' as const, value: describeFieldIndexes(indexes) }] : []),
    ...(ttl ? [{ ...item, kind: 'ttl' as const, value: 'active' }] : []),
  ];
};

/** `users: age ascending, name descending`. The name of the document that the service adds at the end goes without saying. */
export const describeIndex = (index: CompositeIndex): string => {
  const { collectionGroup, queryScope, fields } = index;
  const scope = queryScope === 'COLLECTION_GROUP' ? ' (collection group)' : '';
  const extra = [
    ...(index.apiScope !== undefined && index.apiScope !== 'ANY_API' ? [index.apiScope] : []),
    ...(index.unique ? ['unique'] : []),
    ...(index.multikey ? ['multikey'] : []),
  ];
  const tail = extra.length > 0 ? ` [${extra.join(', ')}]` : '';
  return `${collectionGroup}${scope}: ${withoutImpliedName(fields).map(describeField).join(', ')}${tail}`;
};

/** The fields of an index as one would write them: without the name that the service adds in the order of the last field. */
export const withoutImpliedName = (fields: CompositeIndex['fields']): CompositeIndex['fields'] => {
  const last = fields.at(-1);
  const before = fields.at(-2);
  const isImplied = last?.fieldPath === '__name__' && last.order === (before?.order ?? 'ASCENDING');
  return isImplied && fields.length > 1 ? fields.slice(0, -1) : fields;
};

const describeField = ({ fieldPath, ...mode }: CompositeIndex['fields'][number]): string => `${fieldPath} ${describeMode(mode)}`;

const describeMode = ({ order, arrayConfig, vectorDimension }: Omit<CompositeIndex['fields'][number], 'fieldPath'>): string => {
  if (vectorDimension !== undefined) return `vector of ${vectorDimension}`;
  return arrayConfig === undefined ? (order ?? 'ascending').toLowerCase() : 'array-contains';
};

const describeFieldIndexes = (indexes: NonNullable<FieldSettings['indexes']>): string =>
  indexes
    .map(({ queryScope, ...mode }) => `${describeMode(mode)}${queryScope === 'COLLECTION_GROUP' ? ' (collection group)' : ''}`)
    .sort()
    .join(', ') || 'not indexed';

const textOfRules = ({ files }: RulesRelease): string =>
  files.length === 1 ? (files[0]?.content ?? '') : files.map(({ name, content }) => `// ${name}\n${content}`).join('\n');
