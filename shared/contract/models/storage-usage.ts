import * as z from 'zod/mini';
import { Moment, ShownName } from '../fields.ts';

/** Why a project uses a destination. */
export const storageUses = ['default', 'schedule', 'point-in-time', 'backups'] as const;

const Captured = z.nullable(z.object({ objects: z.int(), bytes: z.int() }));

/** What a project has in a destination. `objects` is null if a backup was made before objects were counted, or was imported. */
export const ProjectStorage = z.object({
  id: z.string(),
  name: z.nullable(ShownName),
  uses: z.array(z.enum(storageUses)),
  backups: z.int(),
  lockedBackups: z.int(),
  storedBytes: z.int(),
  objects: z.nullable(z.int()),
  captured: Captured,
});

export const StorageUsage = z.object({
  storageDestinationId: z.string(),
  source: z.literal('records'),
  computedAt: Moment,
  isDefault: z.boolean(),
  backups: z.int(),
  lockedBackups: z.int(),
  lockedUntil: z.nullable(Moment),
  storedBytes: z.int(),
  objects: z.nullable(z.int()),
  captured: Captured,
  monthlyCost: z.nullable(
    z.object({
      estimatedUsd: z.number(),
      usdPerGigabyte: z.number(),
      price: z.string(),
      source: z.string(),
      asOf: z.string(),
    }),
  ),
  projects: z.array(ProjectStorage),
  schedules: z.array(z.object({ id: z.string(), name: ShownName, projectId: z.string(), enabled: z.boolean() })),
});
