import type * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import type { BackupEntry } from '../../contract/models/backup.ts';
import { restDocument } from '../../firestore/index.ts';
import { jsonBytes } from '../../platform/index.ts';

export type DocumentEntry = z.input<typeof BackupEntry>;

/** The entry of an encoded document. Its fields are left out if they exceed `bytesMax`. */
export const documentEntry = (encoded: Uint8Array, rootLength: number, bytesMax: number): DocumentEntry => {
  const { name, fields, createTime, updateTime } = restDocument(encoded);
  const path = name.slice(rootLength);
  const id = path.slice(path.lastIndexOf('/') + 1);
  const entry = { type: 'document', path, id, name, fields, createTime, updateTime } as const;
  if (jsonBytes(entry) <= bytesMax) return entry;
  const { fields: _, ...rest } = entry;
  return { ...rest, fieldsTooLarge: true };
};

/** Says that the ledger hides the document, and nothing about its contents. */
export const erasedDocument = (): ApiError =>
  new ApiError('DOCUMENT_NOT_FOUND', 'The document was erased: the erasure ledger of the project hides it in every backup', {
    reason: 'erased',
  });
