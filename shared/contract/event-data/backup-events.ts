import * as z from 'zod/mini';
import { Anomaly, AnomalyFinding, Backup } from '../models/backup.ts';
import { Progress } from '../models/job.ts';
import { error } from './event-error.ts';
import { organization, project } from './fields.ts';

/** Backups in events of the standard format. */
const backup = z.extend(
  z.pick(Backup, {
    id: true,
    projectId: true,
    type: true,
    status: true,
    size: true,
    sizeFormatted: true,
    duration: true,
    storageDestination: true,
    waitingFor: true,
    collections: true,
    unknownCollections: true,
    documentCount: true,
    builtFrom: true,
    builtFromReason: true,
    readsBilled: true,
    costIfRead: true,
    auditedSince: true,
    createdAt: true,
    completedAt: true,
  }),
  {
    durationFormatted: z.nullable(z.string()),
    originalSize: z.int(),
    collectionsCount: z.int(),
    trigger: Backup.shape.trigger,
    scheduleId: z.nullable(z.string()),
  },
);

export const backupEvents = {
  'backup.started': z.object({ backup, project, organization }),
  'backup.progress': z.object({ backup, project, organization, progress: Progress }),
  'backup.completed': z.object({ backup, project, organization }),
  'backup.failed': z.object({ backup: z.extend(backup, { error }), project, organization }),
  'backup.anomaly': z.object({
    backup: z.extend(backup, { anomaly: Anomaly }),
    project,
    organization,
    findings: z.array(AnomalyFinding),
  }),
};
