import * as z from 'zod/mini';
import { Moment, ShownName } from '../fields.ts';
import { databaseEditions, readUnits } from '../read-prices.ts';

export const ProjectSettings = z.object({
  backupTimeoutMinutes: z.int(),
  defaultStorageId: z.nullable(z.string()),
  maxReads: z.optional(z.int()),
  readBudgetPerDay: z.optional(z.union([z.object({ documents: z.int() }), z.object({ usd: z.number() })])),
  searchFields: z.optional(z.array(z.string())),
});

/** The list price of reads. */
export const ShownReadPrice = z.object({
  unit: z.enum(readUnits),
  usdPerMillion: z.number(),
  usdPerMillionChanges: z.number(),
  ofLocation: z.boolean(),
  source: z.string(),
});

/** What the Admin API tells about the database. */
export const ProjectDatabase = z.object({
  state: z.enum(['known', 'permission_missing', 'unknown']),
  edition: z.nullable(z.enum(databaseEditions)),
  locationId: z.nullable(z.string()),
  pointInTimeRecovery: z.nullable(z.boolean()),
  realtimeUpdates: z.nullable(z.boolean()),
  permission: z.nullable(z.string()),
  checkedAt: z.nullable(Moment),
  readPrice: ShownReadPrice,
});

export const Project = z.object({
  id: z.string(),
  name: ShownName,
  sourceProjectId: z.string(),
  databaseId: z.string(),
  labels: z.record(z.string(), z.string()),
  status: z.enum(['connected', 'unauthorized']),
  connection: z.object({
    type: z.enum(['user', 'service_account', 'workload_identity']),
    email: z.string(),
    audience: z.optional(z.string()),
  }),
  settings: ProjectSettings,
  database: ProjectDatabase,
  pitr: z.object({ enabled: z.boolean(), retentionDays: z.optional(z.int()), captureIntervalSeconds: z.optional(z.int()) }),
  lastBackupAt: z.nullable(Moment),
  createdAt: Moment,
  updatedAt: Moment,
});
