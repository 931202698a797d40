import { ArchiveError } from '../archive/index.ts';
import { getDocuments } from './get-documents.ts';
import { decodeReadTime } from './read-time.ts';
import { sameFields } from './rest-document.ts';
import type { Source } from './source.ts';
import { fieldsOf } from './wire.ts';
import type { WriteBatch } from './write-batch.ts';

/** Whose the document is that stands where a write of unknown outcome was to create one; `gone` if none stands there any more. */
export type Owner = 'ours' | 'theirs' | 'gone';

/** What the target has there may be 1 MiB each. */
const documentsAtOnce = 16;

/**
 * Looks at documents that a write may have created before it was told that they exist: one that came to be after `since`, a time
 * of the target before the job's first write, and holds exactly the fields that were sent, is the write's own. Someone who made
 * the very same document at the same time is not told apart, and nothing depends on it.
 */
export const findOurs = async (
  target: Source,
  batch: WriteBatch,
  slots: readonly number[],
  since: string | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Owner>> => {
  const owners = new Map<number, Owner>();
  const pathOf = (slot: number): string => batch.name(slot).slice(target.root.length + 1);
  for (let at = 0; at < slots.length; at += documentsAtOnce) {
    const part = slots.slice(at, at + documentsAtOnce);
    const found = await getDocuments(target, part.map(pathOf), { signal });
    for (const slot of part) {
      const document = found.get(pathOf(slot));
      const isOurs = document && isSince(document, since) && sameFields(document, batch.document(slot));
      owners.set(slot, document ? (isOurs ? 'ours' : 'theirs') : 'gone');
    }
  }
  return owners;
};

/** Both are written with six digits of a second, so text compares as time. */
const isSince = (document: Uint8Array, since: string | undefined): boolean => {
  if (since === undefined) return true;
  for (const { field, bytes } of fieldsOf(Buffer.from(document.buffer, document.byteOffset, document.length)))
    if (field === 3) return decodeReadTime(bytes) > since;
  throw new ArchiveError('record-invalid', 'a document without a time of creation');
};
