/** What surrounds the documents of a database, and what differs between two such configurations, as lines for people. */
import type { Configuration, ConfigurationDifference } from '../../shared/contract/models/configuration.ts';
import { escapeName, escapeOutput } from './escape-output.ts';

/** Each part with its title after an empty line; one that was not captured says why. */
export const configurationLines = ({ settings, indexes, fields, rules }: Configuration): readonly string[] =>
  [
    part(
      'settings',
      settings,
      Object.entries(settings.value ?? {}).map(([name, value]) => `${name}: ${value}`),
    ),
    part(
      `composite indexes (${indexes.items.length})`,
      indexes,
      indexes.items.map(
        ({ collectionGroup, queryScope, fields: indexed }) =>
          `${collectionGroup} (${queryScope}): ${indexed.map((field) => `${field.fieldPath} ${modeOf(field)}`).join(', ')}`,
      ),
    ),
    part(
      `fields with settings of their own (${fields.items.length})`,
      fields,
      fields.items.map(({ collectionGroup, fieldPath, indexes: own, ttl }) => {
        const indexed = own && (own.map((one) => `${one.queryScope} ${modeOf(one)}`).join(', ') || 'not indexed');
        return `${collectionGroup}.${fieldPath}: ${[...(indexed === null ? [] : [indexed]), ...(ttl ? ['TTL policy'] : [])].join('; ')}`;
      }),
    ),
    part(
      `security rules (${rules.items.length})`,
      rules,
      rules.items.map(
        ({ release, files }) =>
          `${release}: ${files.map(({ name, content }) => `${name} (${countedLines(content.split('\n').length)})`).join(', ')}`,
      ),
    ),
  ].flat();

const part = (
  title: string,
  { state, reason }: Pick<Configuration['settings'], 'state' | 'reason'>,
  lines: readonly string[],
): readonly string[] => [
  '',
  state === 'captured' ? title : `${title}: not captured, ${escapeOutput(reason ?? state)}`,
  ...lines.map((line) => `  ${escapeOutput(line)}`),
];

const countedLines = (count: number): string => `${count.toLocaleString('en')} line${count === 1 ? '' : 's'}`;

const modeOf = (field: Omit<Configuration['indexes']['items'][number]['fields'][number], 'fieldPath'>): string =>
  field.order ?? field.arrayConfig ?? `VECTOR(${field.vectorDimension})`;

const marks = { added: '+', changed: '~', removed: '-' } as const;

/** The text of rules is long: `--json` has it. */
export const differenceLine = ({ kind, name, change, before, after }: ConfigurationDifference): string => {
  const values = change === 'changed' && kind !== 'rules' ? `: ${before} -> ${after}` : '';
  return `${marks[change]} ${kind} ${escapeName(name)}${escapeOutput(values)}`;
};
