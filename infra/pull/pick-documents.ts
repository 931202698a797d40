import { createHash } from 'node:crypto';
import {
  type BaseDocuments,
  below,
  depth,
  keyPrefix,
  type PathKey,
  pathKey,
  type StoredDocument,
} from '../local/engines/firestore/index.ts';

/** Which documents of a collection are copied. */
export interface Pick {
  /** The path of a collection. */
  readonly collection: string;
  /** At most so many documents of the collection, the first in the order of names, each with all that is below it. */
  readonly limit?: number | undefined;
  /** The fraction of the documents of the collection that are chosen by their names: the same ones every time. */
  readonly sample?: number | undefined;
  /** Whether the documents below those of the collection are copied, too. */
  readonly subcollections: boolean;
}

/** The picked documents in the order of names. */
export async function* pickDocuments(
  documents: BaseDocuments,
  { collection, limit, sample, subcollections }: Pick,
): AsyncGenerator<StoredDocument, void, undefined> {
  const parent = pathKey(collection);
  const segments = depth(parent) + 1;
  const { from, to } = below(parent);
  let top: PathKey | undefined;
  let isChosen = false;
  let chosen = 0;
  for await (const batch of documents.scan(from, to, subcollections ? {} : { segments }))
    for (const document of batch) {
      const own = keyPrefix(document.key, segments);
      if (own !== top) {
        top = own;
        isChosen = sample === undefined || fractionOf(own) < sample;
        if (isChosen && chosen === limit) return;
        if (isChosen) chosen += 1;
      }
      if (isChosen) yield document;
    }
}

/** A number in [0, 1) that belongs to a name. */
const fractionOf = (key: PathKey): number => createHash('sha256').update(key, 'latin1').digest().readUInt32BE(0) / 2 ** 32;
