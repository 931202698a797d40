import type { Databases } from '../databases.ts';
import { parseParent } from '../name.ts';
import type { Method, PathKey } from '../parts.ts';
import { below, childKey, depth, keyPrefix, lastSegment } from '../path-key.ts';
import { decodeRequest, proto } from '../proto.ts';
import { openReader } from '../reader.ts';
import { pageLimit, readPageToken, writePageToken } from './page.ts';

/** ListCollectionIds: a collection is one that has a document somewhere below it, in name order. */
export const listCollectionIds = (databases: Databases): Method => ({
  kind: 'unary',
  run: async (bytes) => {
    const request = decodeRequest(proto.ListCollectionIdsRequest, bytes);
    const parent = parseParent(request.parent);
    const limit = pageLimit(request.pageSize, 300);
    const reader = openReader(databases.open(parent), request);
    const query = { method: 'ListCollectionIds', parent: request.parent };
    const after = readPageToken(request.pageToken, query);
    const { to } = below(parent.key);
    let from = after === undefined ? below(parent.key).from : below(childKey(parent.key, after)).to;
    const collectionIds: string[] = [];
    for (;;) {
      const collection = firstBelow(reader.scan(from, to), depth(parent.key) + 1);
      if (collection === undefined) return proto.ListCollectionIdsResponse.encode({ collectionIds });
      if (collectionIds.length === limit) break;
      collectionIds.push(lastSegment(collection));
      from = below(collection).to;
    }
    return proto.ListCollectionIdsResponse.encode({ collectionIds, nextPageToken: writePageToken(collectionIds.at(-1), query) });
  },
});

function firstBelow(documents: Iterable<{ readonly key: PathKey }>, segments: number): PathKey | undefined {
  for (const { key } of documents) return keyPrefix(key, segments);
  return undefined;
}
