import { parseParent } from '../base/document-name.ts';
import { below, depth, keyPath, keyPrefix, lastSegment, pathKey } from '../base/path-key.ts';
import { completed, Pending } from '../base/pending.ts';
import type { Method, PathKey, StoredDocument } from '../base/types.ts';
import { decodeRequest, type ListCollectionIdsRequest, proto } from '../proto/codecs.ts';
import type { Databases } from '../storage/databases.ts';
import { openReader } from '../storage/read-view.ts';
import { pageLimit, readPageToken, writePageToken } from './page-token.ts';

const common = { method: 'ListCollectionIds' };

/** ListCollectionIds: collections that have documents at any depth, in name order. */
export const listCollectionIds = (databases: Databases): Method => ({
  kind: 'unary',
  run: async (bytes) => completed(answer(databases, decodeRequest(proto.ListCollectionIdsRequest, bytes))),
});

function* answer(databases: Databases, request: ListCollectionIdsRequest): Generator<Pending, Uint8Array, undefined> {
  const parent = parseParent(request.parent);
  const limit = pageLimit(request.pageSize);
  const reader = openReader(databases.open(parent), request);
  reader.database.meter.scan('listings', 1, 0);
  // A token is a position among all collections: like the service, a list with another parent continues from it.
  const after = readPageToken(request.pageToken, common);
  const { from: first, to } = below(parent.key);
  let from = first;
  if (after !== undefined && below(pathKey(after)).to > first) from = below(pathKey(after)).to;
  const collectionIds: string[] = [];
  let last: PathKey = '';
  for (;;) {
    const collection = yield* firstBelow(reader.scan(from, to), depth(parent.key) + 1);
    if (collection === undefined) return proto.ListCollectionIdsResponse.encode({ collectionIds });
    if (collectionIds.length === limit) break;
    collectionIds.push(lastSegment(collection));
    last = collection;
    from = below(collection).to;
  }
  return proto.ListCollectionIdsResponse.encode({ collectionIds, nextPageToken: writePageToken(keyPath(last), common) });
}

function* firstBelow(
  documents: Iterable<StoredDocument | Pending>,
  segments: number,
): Generator<Pending, PathKey | undefined, undefined> {
  for (const document of documents)
    if (document instanceof Pending) yield document;
    else return keyPrefix(document.key, segments);
  return undefined;
}
