import { ArchiveError, DocumentSkim } from '../archive/index.ts';
import { decodeReadTime } from './read-time.ts';
import { sameFields } from './rest-document.ts';
import type { Source } from './source.ts';
import { fieldsOf, join, lastField, text } from './wire.ts';
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
  for (let at = 0; at < slots.length; at += documentsAtOnce) {
    const part = slots.slice(at, at + documentsAtOnce);
    const found = await read(
      target,
      part.map((slot) => batch.name(slot)),
      signal,
    );
    for (const slot of part) {
      const document = found.get(batch.name(slot));
      const isOurs = document && isSince(document, since) && sameFields(document, batch.document(slot));
      owners.set(slot, document ? (isOurs ? 'ours' : 'theirs') : 'gone');
    }
  }
  return owners;
};

/** The documents of these names that the target has, by name. */
const read = async (target: Source, names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Buffer>> => {
  const request = join(text(1, target.database), ...names.map((name) => text(2, name)));
  const found = new Map<string, Buffer>();
  const skim = new DocumentSkim();
  for (const message of await target.call('BatchGetDocuments', request, signal)) {
    const document = lastField(message, 1)?.bytes;
    if (!document) continue;
    skim.read(document, 0, document.length);
    found.set(document.toString('utf8', skim.nameStart, skim.nameEnd), document);
  }
  return found;
};

/** Both are written with six digits of a second, so text compares as time. */
const isSince = (document: Buffer, since: string | undefined): boolean => {
  if (since === undefined) return true;
  for (const { field, bytes } of fieldsOf(document)) if (field === 3) return decodeReadTime(bytes) > since;
  throw new ArchiveError('record-invalid', 'a document without a time of creation');
};
