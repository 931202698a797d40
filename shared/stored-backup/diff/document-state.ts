import { ApiError } from '../../contract/errors.ts';
import { isInRange } from '../../firestore/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { BackupRecord } from '../model/record.ts';
import { findRecord } from '../read/find-record.ts';
import type { ArchiveDeps } from '../read/open-archive.ts';
import { unprovenAt } from '../read/unproven-at.ts';
import { withArchiveInRequest } from '../read/with-archive-in-request.ts';
import { commonScope, isPartial } from './diff-archives.ts';

/** What a backup says about one document. */
export type DocumentState =
  | { readonly kind: 'exists'; readonly encoded: Uint8Array; readonly rootLength: number }
  | { readonly kind: 'missing' | 'erased' }
  | { readonly kind: 'unproven' | 'unreadable'; readonly message: string };

/**
 * Undefined if the backup says nothing about the document: it is outside of the scope, or not among what a partial backup names. A backup
 * that cannot be read is a state, too, so that others can still be asked.
 */
export const readDocumentState = async (
  tenant: Tenant,
  { backup, path, deps }: { readonly backup: BackupRecord; readonly path: string; readonly deps?: ArchiveDeps | undefined },
): Promise<DocumentState | undefined> => {
  if (!commonScope(backup).some((range) => isInRange(path, range))) return undefined;
  try {
    return await withArchiveInRequest(tenant, {
      backup,
      deps,
      work: async (open) => {
        const { encoded, isNamed, isErased } = await findRecord(path, open);
        if (encoded) return { kind: 'exists', encoded, rootLength: open.archive.documentsRoot.length } as const;
        if (isErased) return { kind: 'erased' } as const;
        if (!isNamed && isPartial(backup)) return undefined;
        const unproven = unprovenAt(backup, path);
        return unproven ? ({ kind: 'unproven', message: unproven.message } as const) : ({ kind: 'missing' } as const);
      },
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { kind: 'unreadable', message: error.message };
  }
};
