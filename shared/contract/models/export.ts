/** Exports in API responses. */
import * as z from 'zod/mini';
import { Moment, ShownName } from '../fields.ts';
import { exportFormats, exportPhases, exportStatuses } from '../job-enums.ts';
import { storageTypes } from '../storage-types.ts';
import { visibleText } from '../visible-text.ts';
import { Cost, Creator, JobError, Lacking, Progress, WaitingFor } from './job.ts';
import { TransformSummary } from './transform.ts';

/** Where the files of an export are, below the bucket of the destination. */
const ExportManifest = z.object({ path: z.string(), sha256: z.string() });

export const Export = z.object({
  id: z.string(),
  projectId: z.string(),
  // A schema of its own has a description of its own.
  projectName: z.string().check(z.overwrite(visibleText)),
  backupId: z.nullable(z.string()),
  pointInTime: z.nullable(Moment),
  readTime: z.nullable(Moment),
  format: z.enum(exportFormats),
  collections: z.array(z.string()),
  unknownCollections: z.array(z.string()),
  unknownCollectionsCount: z.int(),
  partial: z.nullable(z.object(Lacking.shape)),
  columns: z.nullable(z.array(z.string())),
  exactText: z.boolean(),
  storageDestination: z.object({ id: z.string(), name: ShownName, type: z.enum(storageTypes) }),
  download: z.boolean(),
  path: z.string(),
  status: z.enum(exportStatuses),
  phase: z.enum(exportPhases),
  progress: Progress,
  cancelling: z.boolean(),
  waitingFor: z.nullable(WaitingFor),
  documents: z.int(),
  documentsErased: z.int(),
  files: z.int(),
  bytes: z.int(),
  manifest: z.nullable(ExportManifest),
  recipients: z.array(z.string()),
  retention: z.nullable(z.int()),
  expiresAt: z.nullable(Moment),
  filesDeletedAt: z.nullable(Moment),
  filesKeptReason: z.nullable(z.string()),
  resumableUntil: z.nullable(Moment),
  transform: z.optional(TransformSummary),
  cost: z.object(Cost.shape),
  duration: z.nullable(z.int()),
  createdBy: z.nullable(Creator),
  createdAt: Moment,
  startedAt: z.nullable(Moment),
  completedAt: z.nullable(Moment),
  error: z.nullable(JobError),
});

/** A file of a completed export, as its manifest lists it. */
export const ExportFile = z.object({
  name: z.string(),
  collection: z.nullable(z.string()),
  documents: z.int(),
  bytes: z.int(),
  sha256: z.string(),
});

/** A piece of a file. */
export const ExportContent = z.object({
  file: z.string(),
  offset: z.int(),
  bytes: z.int(),
  totalBytes: z.int(),
  nextOffset: z.nullable(z.int()),
  content: z.string(),
});

/** What an export would write. */
export const ExportPlan = z.object({
  dryRun: z.literal(true),
  projectId: z.string(),
  backupId: z.string(),
  pointInTime: z.nullable(Moment),
  format: z.enum(exportFormats),
  documents: z.int(),
  bytes: z.int(),
  files: z.int(),
  unknownCollections: z.array(z.string()),
  unknownCollectionsCount: z.int(),
  partial: z.nullable(z.object(Lacking.shape)),
  storageDestination: z.object({ id: z.string(), name: ShownName, type: z.enum(storageTypes) }),
  cost: z.object(Cost.shape),
});
