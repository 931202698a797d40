import { checkCollectionId, type DocumentName, documentName, parseParent } from '../base/document-name.ts';
import { below, childKey, depth, keyPath, keyPrefix, pathKey } from '../base/path-key.ts';
import { completed, Pending } from '../base/pending.ts';
import { type CallContext, type Method, type Methods, type PathKey, RpcError } from '../base/types.ts';
import { decodeRequest, type ListDocumentsRequest, proto } from '../proto/codecs.ts';
import type { Databases } from '../storage/databases.ts';
import { openReader, type Reader } from '../storage/read-view.ts';
import { masking } from './get.ts';
import { listOrdered } from './list-ordered.ts';
import { pageLimit, readPageToken, writePageToken } from './page-token.ts';

/** ListDocuments: documents of one collection, or of all collections directly below the parent. */
export const listDocuments = (databases: Databases, queries: Methods): Method => ({
  kind: 'unary',
  run: async (bytes, call) => {
    const request = decodeRequest(proto.ListDocumentsRequest, bytes);
    const parent = parseParent(request.parent);
    if (request.collectionId !== '') checkCollectionId(request.collectionId);
    if (request.showMissing && request.orderBy !== '')
      throw new RpcError('INVALID_ARGUMENT', 'cannot specify an order when show_missing is true');
    if (request.collectionId === '' && !isByName(request.orderBy))
      throw new RpcError('INVALID_ARGUMENT', 'kind is required for all orders except __key__ ascending');
    return isByName(request.orderBy) ? completed(listByName(databases, parent, request)) : ordered(request, queries, call);
  },
});

const isByName = (orderBy: string): boolean => /^\s*(__name__(\s+asc)?)?\s*$/i.test(orderBy);

const ordered = async (request: ListDocumentsRequest, queries: Methods, call: CallContext): Promise<Uint8Array> => {
  const query = commonOf(request);
  const limit = pageLimit(request.pageSize);
  const after = readPageToken(request.pageToken, query);
  const { documents, next } = await listOrdered(request, { after, limit, queries, call });
  const nextPageToken = next === undefined ? '' : writePageToken(next, query);
  return proto.ListDocumentsResponse.encode({ documents: documents.map(masking(request.mask)), nextPageToken });
};

function* listByName(
  databases: Databases,
  parent: DocumentName,
  request: ListDocumentsRequest,
): Generator<Pending, Uint8Array, undefined> {
  const query = commonOf(request);
  const limit = pageLimit(request.pageSize);
  const after = readPageToken(request.pageToken, query);
  const masked = masking(request.mask);
  const reader = openReader(databases.open(parent), request);
  const root = request.collectionId === '' ? parent.key : childKey(parent.key, request.collectionId);
  const { from, to } = below(root);
  const start = after === undefined ? from : below(pathKey(after)).to;
  reader.track(from, to);
  const documents: Uint8Array[] = [];
  const billed = (): void =>
    reader.database.meter.scan(
      'listings',
      documents.length,
      documents.reduce((sum, { length }) => sum + length, 0),
    );
  let last: string | undefined;
  for (const child of children(reader, {
    from: start,
    to,
    segments: depth(parent.key) + 2,
    missing: request.showMissing,
  })) {
    if (child instanceof Pending) {
      yield child;
      continue;
    }
    const [key, bytes] = child;
    if (documents.length === limit) {
      billed();
      return proto.ListDocumentsResponse.encode({ documents, nextPageToken: writePageToken(last, query) });
    }
    last = keyPath(key);
    documents.push(bytes ? masked(bytes) : proto.Document.encode({ name: documentName(parent, last) }));
  }
  billed();
  return proto.ListDocumentsResponse.encode({ documents });
}

/** Documents with `segments` segments, without their descendants. `missing` adds those that only have descendants. */
function* children(
  reader: Reader,
  {
    from,
    to,
    segments,
    missing,
  }: { readonly from: PathKey; readonly to: PathKey; readonly segments: number; readonly missing: boolean },
): Generator<readonly [PathKey, Uint8Array | undefined] | Pending> {
  let start = from;
  let last: PathKey | undefined;
  for (;;) {
    let jump: PathKey | undefined;
    for (const document of reader.scan(start, to, missing ? {} : { segments })) {
      if (document instanceof Pending) {
        yield document;
        continue;
      }
      const { key, bytes } = document;
      if (depth(key) === segments) {
        last = key;
        yield [key, bytes];
        continue;
      }
      const child = keyPrefix(key, segments);
      if (missing && child !== last) yield [child, undefined];
      jump = below(child).to;
      break;
    }
    if (jump === undefined) return;
    start = jump;
  }
}

/** The parameters that must be the same for all pages. */
const commonOf = ({ parent, collectionId, orderBy, showMissing, readTime }: ListDocumentsRequest) => ({
  method: 'ListDocuments',
  parent,
  collectionId,
  orderBy,
  showMissing,
  readTime: readTime ? `${readTime.seconds}.${readTime.nanos}` : '',
});
