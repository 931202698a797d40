/** What surrounds the documents of a database: its settings, indexes, TTL policies and security rules. */
import * as z from 'zod/mini';
import { Moment } from '../fields.ts';

/** Why a part is known, or why it is not. */
export const captureStates = ['captured', 'permission_missing', 'api_disabled', 'unavailable', 'too_large'] as const;
export type CaptureState = (typeof captureStates)[number];

export const configurationParts = ['settings', 'indexes', 'fields', 'rules'] as const;
export type ConfigurationPart = (typeof configurationParts)[number];

const captured = { state: z.enum(captureStates), reason: z.nullable(z.string()) };

export const IndexedField = z.object({
  fieldPath: z.string(),
  order: z.optional(z.string()),
  arrayConfig: z.optional(z.string()),
  vectorDimension: z.optional(z.int()),
});
export type IndexedField = z.output<typeof IndexedField>;

export const CompositeIndex = z.object({
  collectionGroup: z.string(),
  queryScope: z.string(),
  apiScope: z.optional(z.string()),
  density: z.optional(z.string()),
  multikey: z.optional(z.boolean()),
  unique: z.optional(z.boolean()),
  fields: z.array(IndexedField),
});
export type CompositeIndex = z.output<typeof CompositeIndex>;

export const FieldSettings = z.object({
  collectionGroup: z.string(),
  fieldPath: z.string(),
  indexes: z.nullable(
    z.array(
      z.object({
        queryScope: z.string(),
        order: z.optional(z.string()),
        arrayConfig: z.optional(z.string()),
        vectorDimension: z.optional(z.int()),
      }),
    ),
  ),
  ttl: z.boolean(),
});
export type FieldSettings = z.output<typeof FieldSettings>;

export const RulesRelease = z.object({
  release: z.string(),
  updatedAt: z.nullable(z.string()),
  files: z.array(z.object({ name: z.string(), content: z.string() })),
});
export type RulesRelease = z.output<typeof RulesRelease>;

export const DatabaseSettings = z.object({
  locationId: z.string(),
  type: z.string(),
  edition: z.string(),
  deleteProtection: z.boolean(),
  pointInTimeRecovery: z.boolean(),
});
export type DatabaseSettings = z.output<typeof DatabaseSettings>;

export const Configuration = z.object({
  capturedAt: Moment,
  settings: z.object({ ...captured, value: z.nullable(DatabaseSettings) }),
  indexes: z.object({ ...captured, items: z.array(CompositeIndex) }),
  fields: z.object({ ...captured, items: z.array(FieldSettings) }),
  rules: z.object({ ...captured, items: z.array(RulesRelease) }),
});
export type Configuration = z.output<typeof Configuration>;

/** The configuration that a backup holds; null if it was made before configurations were captured, or not from a source. */
export const BackupConfiguration = z.object({ backupId: z.string(), configuration: z.nullable(Configuration) });

/** From the backup to what it is compared with: `removed` is what only the backup has. */
export const ConfigurationDifference = z.object({
  part: z.enum(configurationParts),
  kind: z.enum(['setting', 'index', 'field', 'ttl', 'rules']),
  name: z.string(),
  collectionGroup: z.nullable(z.string()),
  change: z.enum(['added', 'removed', 'changed']),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
});
export type ConfigurationDifference = z.output<typeof ConfigurationDifference>;

export const ConfigurationDiff = z.object({
  backupId: z.string(),
  against: z.string(),
  capturedAt: z.object({ backup: z.nullable(Moment), against: z.nullable(Moment) }),
  withoutConfiguration: z.array(z.string()),
  unknown: z.array(z.enum(configurationParts)),
  equal: z.int(),
  differences: z.array(ConfigurationDifference),
});

/** `create` and `change` are written; `building` was created and is not ready; `kept` and `impossible` say why nothing is written. */
export const configurationActions = ['create', 'change', 'equal', 'building', 'kept', 'impossible'] as const;

/** One thing of the backup, and what becomes of it in the target. */
export const ConfigurationStep = z.object({
  part: z.enum(configurationParts),
  kind: z.enum(['setting', 'index', 'field', 'ttl', 'rules']),
  name: z.string(),
  collectionGroup: z.nullable(z.string()),
  action: z.enum(configurationActions),
  reason: z.nullable(z.string()),
  percent: z.nullable(z.int()),
  outcome: z.nullable(z.enum(['written', 'failed', 'not_reached'])),
  error: z.nullable(z.string()),
});
export type ConfigurationStep = z.output<typeof ConfigurationStep>;

export const ConfigurationRestore = z.object({
  backupId: z.string(),
  targetProjectId: z.string(),
  dryRun: z.boolean(),
  complete: z.boolean(),
  counts: z.object({
    create: z.int(),
    change: z.int(),
    equal: z.int(),
    building: z.int(),
    kept: z.int(),
    impossible: z.int(),
    failed: z.int(),
  }),
  unknown: z.array(z.object({ part: z.enum(configurationParts), side: z.enum(['backup', 'target']), reason: z.string() })),
  steps: z.array(ConfigurationStep),
});
