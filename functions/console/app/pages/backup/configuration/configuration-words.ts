import type { Configuration, ConfigurationRestore } from '../../../data/configuration/configuration.ts';

type Index = Configuration['indexes']['items'][number];
type Field = Configuration['fields']['items'][number];
type Mode = Omit<Index['fields'][number], 'fieldPath'>;
type Step = ConfigurationRestore['steps'][number];

export const partWords = {
  settings: 'Settings of the database',
  indexes: 'Composite indexes',
  fields: 'Fields with settings of their own',
  rules: 'Security rules',
} as const;

export const kindWords = {
  setting: 'Setting',
  index: 'Index',
  field: 'Single-field indexes',
  ttl: 'TTL policy',
  rules: 'Security rules',
} as const;

export const settingWords: Readonly<Record<string, string>> = {
  locationId: 'Location',
  type: 'Type',
  edition: 'Edition',
  deleteProtection: 'Delete protection',
  pointInTimeRecovery: 'Google’s point-in-time recovery',
};

const values: Readonly<Record<string, string>> = {
  true: 'On',
  false: 'Off',
  FIRESTORE_NATIVE: 'Firestore, native mode',
  DATASTORE_MODE: 'Datastore mode',
  STANDARD: 'Standard',
  ENTERPRISE: 'Enterprise',
};
export const valueWords = (value: string): string => values[value] ?? value;

export const modeWords = ({ order, arrayConfig, vectorDimension }: Mode): string => {
  if (vectorDimension !== undefined) return `vector of ${vectorDimension}`;
  return arrayConfig === undefined ? (order ?? 'ascending').toLowerCase() : 'array-contains';
};

export const scopeWords = (queryScope: string): string => (queryScope === 'COLLECTION_GROUP' ? 'Collection group' : 'Collection');

export const fieldWords = ({ indexes, ttl }: Field): string => {
  const own = indexes?.map((one) => `${modeWords(one)} (${scopeWords(one.queryScope).toLowerCase()})`).join(', ');
  const indexed = own === undefined ? [] : [own === '' ? 'not indexed' : own];
  return [...indexed, ...(ttl ? ['TTL policy: documents are deleted at this time'] : [])].join('; ');
};

export const actionWords = {
  create: ['Create', 'good'],
  change: ['Change', 'warn'],
  building: ['Being built', 'info'],
  equal: ['Equal', 'neutral'],
  kept: ['Left as it is', 'neutral'],
  impossible: ['Impossible', 'bad'],
} as const satisfies Record<Step['action'], readonly [string, string]>;

/** What a step did, or what keeps it from being done. */
export const stepRemark = ({ error, reason, percent, outcome }: Step): string | undefined =>
  error ??
  (outcome === 'not_reached' ? 'Not reached: restore again' : (reason ?? (percent === null ? undefined : `${percent} %`)));
