/** Where a document exists: in the live database, in backups, and at which moments. */
import * as z from 'zod/mini';
import { Moment } from '../fields.ts';
import { backupTriggers, backupTypes } from '../job-enums.ts';
import { BackupEntry } from './backup.ts';
import { PitrWindows } from './pitr.ts';

/** Why it cannot be said whether the document exists. */
const liveReasons = ['unauthorized', 'unavailable', 'role'] as const;
/** Where an id could not be looked for. */
const places = ['live', 'backup', 'captures'] as const;
const backupReasons = ['erased', 'unproven', 'unreadable'] as const;

/** A state of the document. Fields of unchanged states are left out, and those that exceed the size of a response. */
const state = {
  exists: z.nullable(z.boolean()),
  erased: z.boolean(),
  updateTime: z.nullable(z.string()),
  contentHash: z.nullable(z.string()),
  document: z.nullable(BackupEntry),
  message: z.nullable(z.string()),
};

export const DocumentInBackup = z.object({
  id: z.string(),
  readTime: z.nullable(z.string()),
  createdAt: Moment,
  type: z.enum(backupTypes),
  trigger: z.enum(backupTriggers),
  ...state,
  changed: z.nullable(z.boolean()),
  reason: z.nullable(z.enum(backupReasons)),
});

export const CapturedDocumentChange = z.object({
  at: z.string(),
  change: z.enum(['written', 'deleted']),
  restorableAt: z.nullable(Moment),
  contentHash: z.nullable(z.string()),
  document: z.nullable(BackupEntry),
});

export const LocatedDocument = z.object({
  projectId: z.string(),
  projectName: z.string(),
  path: z.nullable(z.string()),
  candidates: z.array(z.string()),
  notSearched: z.array(z.object({ place: z.enum(places), backupId: z.nullable(z.string()), message: z.string() })),
  live: z.nullable(z.object({ ...state, checkedAt: Moment, reason: z.nullable(z.enum(liveReasons)) })),
  backups: z.array(DocumentInBackup),
  examined: z.int(),
  moments: z.nullable(
    z.object({
      windows: PitrWindows.shape.windows,
      changes: z.array(CapturedDocumentChange),
      searchedFrom: z.nullable(z.string()),
      complete: z.boolean(),
      message: z.nullable(z.string()),
    }),
  ),
  summary: z.object({
    found: z.boolean(),
    lastSeen: z.nullable(z.string()),
    lastChangedAt: z.nullable(z.string()),
    vanishedBetween: z.nullable(z.object({ from: z.string(), to: z.string() })),
  }),
  recommended: z.nullable(
    z.object({ backupId: z.nullable(z.string()), pointInTime: z.nullable(Moment), contentHash: z.nullable(z.string()) }),
  ),
});

/** A document that was deleted from the live database lately. */
export const DeletedDocument = z.object({ path: z.string(), deletedAt: z.string() });

export const DeletedDocuments = z.object({
  projectId: z.string(),
  captured: z.boolean(),
  documents: z.array(DeletedDocument),
  searchedFrom: z.nullable(z.string()),
  complete: z.boolean(),
});
