/** `cat`: one document, by ranged reads of a page of the index and a leaf. */
import { type Leaf, recordKind } from '../../shared/archive/index.ts';
import { restDocument } from '../../shared/firestore/index.ts';
import { escapeName } from './escape-output.ts';
import { damaged, unusable } from './failure.ts';
import { innerPath } from './list.ts';
import type { OpenBackup } from './open-backup.ts';
import type { Output } from './output.ts';

export const show = async ({ archive, manifest }: OpenBackup, path: string, output: Output): Promise<void> => {
  const root = `${manifest.source}/documents`;
  const inner = innerPath(path, root);
  const isUser = inner.startsWith('accounts/') && inner.split('/').length === 2;
  if (inner === '' || inner.split('/').length % 2 === 1)
    throw unusable(`${escapeName(inner)} is not the path of a document; ls lists what is in it`);
  const found =
    (await archive.find(Buffer.from(`${root}/${inner}`))) ?? (isUser ? await archive.find(Buffer.from(inner)) : undefined);
  if (!found || found.leaf.kind(found.slot) === recordKind.tombstone)
    throw unusable(`there is no ${escapeName(inner)} in this backup`);
  await output.line(JSON.stringify(contentOf(found.leaf, found.slot), undefined, 2));
};

/** A document in the REST form, or a user as it was stored. */
export const contentOf = (leaf: Leaf, slot: number): object => {
  try {
    const content = leaf.content(slot);
    return leaf.kind(slot) === recordKind.user ? (JSON.parse(content.toString()) as object) : restDocument(content);
  } catch (error) {
    throw damaged(escapeName(leaf.name(slot).toString()), 'is not a document that can be shown', error);
  }
};
