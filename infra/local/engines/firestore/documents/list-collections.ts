import { parseParent } from '../base/document-name.ts';
import { below, depth, keyPath, keyPrefix, lastSegment, pathKey } from '../base/path-key.ts';
import type { Method, PathKey } from '../base/types.ts';
import { decodeRequest, proto } from '../proto/codecs.ts';
import type { Databases } from '../storage/databases.ts';
import { openReader } from '../storage/read-view.ts';
import { pageLimit, readPageToken, writePageToken } from './page-token.ts';

const common = { method: 'ListCollectionIds' };

/** ListCollectionIds: collections that have documents at any depth, in name order. */
export const listCollectionIds = (databases: Databases): Method => ({
  kind: 'unary',
  run: async (bytes) => {
    const request = decodeRequest(proto.ListCollectionIdsRequest, bytes);
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
      const collection = firstBelow(reader.scan(from, to), depth(parent.key) + 1);
      if (collection === undefined) return proto.ListCollectionIdsResponse.encode({ collectionIds });
      if (collectionIds.length === limit) break;
      collectionIds.push(lastSegment(collection));
      last = collection;
      from = below(collection).to;
    }
    return proto.ListCollectionIdsResponse.encode({ collectionIds, nextPageToken: writePageToken(keyPath(last), common) });
  },
});

function firstBelow(documents: Iterable<{ readonly key: PathKey }>, segments: number): PathKey | undefined {
  for (const { key } of documents) return keyPrefix(key, segments);
  return undefined;
}
