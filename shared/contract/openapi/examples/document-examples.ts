/** A document that was deleted, and where it still exists. */
import type * as z from 'zod/mini';
import type {
  CapturedDocumentChange,
  DeletedDocument,
  DeletedDocuments,
  DocumentInBackup,
  LocatedDocument,
} from '../../models/document.ts';
import type { FoundDocuments } from '../../models/found-documents.ts';
import { pitrWindows } from './account-examples.ts';
import { backup, entry } from './job-examples.ts';
import { exampleTime } from './request-examples.ts';

const at = exampleTime.toISOString();
const ago = (minutes: number): string => new Date(exampleTime.getTime() - minutes * 60_000).toISOString();
const contentHash = 'q1Jf0m3xT7uVb5aZc9dE2g';
const { projectId, projectName, createdAt, readTime, type, trigger } = backup;
const { updateTime = null } = entry;

export const documentInBackup: z.output<typeof DocumentInBackup> = {
  ...{ id: backup.id, readTime, createdAt, type, trigger },
  ...{ exists: true, erased: false, updateTime, contentHash, document: entry, message: null },
  ...{ changed: true, reason: null },
};

export const documentChange: z.output<typeof CapturedDocumentChange> = {
  at: ago(31),
  change: 'deleted',
  restorableAt: null,
  contentHash: null,
  document: null,
};

export const locatedDocument: z.output<typeof LocatedDocument> = {
  projectId,
  projectName: projectName ?? '',
  path: entry.path,
  candidates: [],
  notSearched: [],
  live: {
    ...{ exists: false, erased: false, updateTime: null, contentHash: null, document: null, message: null },
    ...{ checkedAt: at, reason: null },
  },
  backups: [documentInBackup],
  examined: 12,
  moments: {
    windows: pitrWindows.windows,
    changes: [documentChange],
    searchedFrom: ago(1_440),
    complete: true,
    message: null,
  },
  summary: { found: true, lastSeen: ago(32), lastChangedAt: updateTime, vanishedBetween: { from: ago(32), to: ago(31) } },
  recommended: { backupId: backup.id, pointInTime: null, contentHash },
};

export const deletedDocument: z.output<typeof DeletedDocument> = { path: entry.path, deletedAt: ago(31) };

export const deletedDocuments: z.output<typeof DeletedDocuments> = {
  projectId,
  captured: true,
  documents: [deletedDocument],
  searchedFrom: ago(1_440),
  complete: true,
};

export const foundDocuments: z.output<typeof FoundDocuments> = {
  backupId: backup.id,
  projectId,
  readTime,
  kind: 'values',
  plan: {
    documents: 31_002,
    bytes: 9_412_310,
    parts: 1,
    seconds: 1,
    estimatedUsd: 0.000_024,
    total: 31_002,
    indexed: false,
    fields: [{ path: 'email', named: false }],
  },
  matches: [entry],
  scanned: { documents: 31_002, bytes: 9_412_310 },
};
