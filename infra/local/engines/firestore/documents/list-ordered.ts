import { bytesOf, type CallContext, type Methods, RpcError } from '../base/types.ts';
import { type DocumentBytes, type ListDocumentsRequest, proto } from '../proto/codecs.ts';
import { parseFieldPath } from '../value/field-path.ts';
import { lookUpBytes } from '../value/value.ts';

interface Order {
  readonly field: { readonly fieldPath: string };
  readonly direction: 'ASCENDING' | 'DESCENDING';
}

const nameField = '__name__';

/** A page of a list ordered by fields, run as a query. `next` is the start of the next page, if there is one. */
export async function listOrdered(
  request: ListDocumentsRequest,
  {
    after,
    limit,
    queries,
    call,
  }: { readonly after: string | undefined; readonly limit: number; readonly queries: Methods; readonly call: CallContext },
): Promise<{ readonly documents: readonly DocumentBytes[]; readonly next: string | undefined }> {
  const method = queries.RunQuery;
  if (method?.kind !== 'server-stream') throw new RpcError('UNIMPLEMENTED', 'order_by is not supported.');
  const orderBy = withName(request.orderBy.split(',').map(orderOf));
  const bytes = proto.RunQueryRequest.encode({
    parent: request.parent,
    transaction: request.transaction,
    readTime: request.readTime,
    structuredQuery: {
      from: [{ collectionId: request.collectionId }],
      orderBy,
      startAt: after === undefined ? undefined : proto.Cursor.decode(Buffer.from(after, 'base64url')),
      limit: { value: limit + 1 },
    },
  });
  const found: DocumentBytes[] = [];
  for await (const batch of method.run(bytes, call)) {
    for (const message of batch) {
      const { document } = proto.RunQueryResponse.decode(bytesOf(message));
      if (document) found.push(document);
    }
  }
  const documents = found.slice(0, limit);
  const last = documents.at(-1);
  return { documents, next: last && found.length > limit ? cursorAfter(last, orderBy) : undefined };
}

/** The name as the last order makes every position unique, so that a page can begin between equal documents. */
const withName = (orders: readonly Order[]): readonly Order[] =>
  orders.some(({ field }) => field.fieldPath === nameField)
    ? orders
    : [...orders, { field: { fieldPath: nameField }, direction: orders.at(-1)?.direction ?? 'ASCENDING' }];

function cursorAfter(document: DocumentBytes, orderBy: readonly Order[]): string {
  const values = orderBy.map(({ field: { fieldPath } }) => {
    if (fieldPath === nameField) return proto.Value.encode({ referenceValue: proto.Document.decode(document).name });
    const value = lookUpBytes(document, parseFieldPath(fieldPath));
    if (!value) throw new Error('a result has no value for a field it is ordered by');
    return value;
  });
  return Buffer.from(proto.Cursor.encode({ values, before: false })).toString('base64url');
}

function orderOf(text: string): Order {
  const match = /^\s*(\S+)(?:\s+(asc|desc))?\s*$/i.exec(text);
  if (!match?.[1]) throw new RpcError('INVALID_ARGUMENT', `Invalid order by clause "${text.trim()}".`);
  return { field: { fieldPath: match[1] }, direction: match[2]?.toLowerCase() === 'desc' ? 'DESCENDING' : 'ASCENDING' };
}
