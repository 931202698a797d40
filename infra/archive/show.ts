/** `cat`: prints one document, read with one index page and one leaf. */
import { type Leaf, recordKind } from '../../shared/archive/index.ts';
import { restDocument } from '../../shared/firestore/index.ts';
import { escapeName } from './escape-output.ts';
import { damaged, unusable } from './failure.ts';
import { innerPath } from './list.ts';
import type { OpenBackup } from './open-backup.ts';
import type { Output } from './output.ts';
import { toJson } from './to-json.ts';

export const show = async ({ archive, manifest }: OpenBackup, path: string, output: Output): Promise<void> => {
  const root = `${manifest.source}/documents`;
  const inner = innerPath(path, root);
  const isUser = inner.startsWith('accounts/') && inner.split('/').length === 2;
  if (inner === '' || inner.split('/').length % 2 === 1)
    throw unusable(`${escapeName(inner)} is not a document path; use ls to list it`);
  const found =
    (await archive.find(Buffer.from(`${root}/${inner}`))) ?? (isUser ? await archive.find(Buffer.from(inner)) : undefined);
  if (found?.leaf.kind(found.slot) === recordKind.erased)
    throw unusable(`${escapeName(inner)}: was erased; the erasure ledger beside the backup hides it`);
  if (!found || found.leaf.kind(found.slot) === recordKind.tombstone)
    throw unusable(`${escapeName(inner)}: not found in this backup`);
  await output.line(toJson(contentOf(found.leaf, found.slot), 2));
};

/** A document in the REST format, or a user as stored. */
export const contentOf = (leaf: Leaf, slot: number): object => {
  try {
    const content = leaf.content(slot);
    return leaf.kind(slot) === recordKind.user ? (JSON.parse(content.toString()) as object) : restDocument(content);
  } catch (error) {
    throw damaged(escapeName(leaf.name(slot).toString()), 'cannot be decoded as a document', error);
  }
};
