import { checkSameDatabase, databaseName, parseDatabaseName, parseDocumentName } from '../base/document-name.ts';
import { awaited, completed, Pending, taken } from '../base/pending.ts';
import { DocumentMessage, type Message, type Method, RpcError } from '../base/types.ts';
import {
  type BatchGetDocumentsRequest,
  decodeRequest,
  type GetDocumentRequest,
  type MaskBytes,
  proto,
  timestampOf,
} from '../proto/codecs.ts';
import type { Databases } from '../storage/databases.ts';
import { openReader } from '../storage/read-view.ts';
import { project, readMask } from '../value/field-mask.ts';

/** Bytes sent at once, approximately. */
const batchBytes = 128 * 1024;

export const getDocument = (databases: Databases): Method => ({
  kind: 'unary',
  run: async (bytes) => completed(getOne(databases, decodeRequest(proto.GetDocumentRequest, bytes))),
});

function* getOne(databases: Databases, request: GetDocumentRequest): Generator<Pending, Uint8Array, undefined> {
  const name = parseDocumentName(request.name);
  const masked = masking(request.mask);
  const reader = openReader(databases.open(name), request);
  const document = yield* taken(reader.get(name.key));
  reader.database.meter.each('lookups', document?.bytes.length ?? 0);
  if (!document) throw new RpcError('NOT_FOUND', `Document "${request.name}" not found.`);
  return masked(document.bytes);
}

/** BatchGetDocuments: answers each requested document once as of one time, found ones first, then missing ones. */
export const batchGetDocuments = (databases: Databases): Method => ({
  kind: 'server-stream',
  run: (bytes) => awaited(respond(databases, decodeRequest(proto.BatchGetDocumentsRequest, bytes))),
});

function* respond(databases: Databases, request: BatchGetDocumentsRequest): Generator<readonly Message[] | Pending> {
  const database = parseDatabaseName(request.database);
  const names = [...new Set(request.documents)].map((text) => ({ text, ...parseDocumentName(text) }));
  for (const name of names) checkSameDatabase(databaseName(database), databaseName(name));
  const masked = masking(request.mask);
  const reader = openReader(databases.open(database), request);
  const readTime = timestampOf(reader.at);
  const tail = proto.BatchGetDocumentsResponse.encode({ readTime });
  let batch: Message[] = [];
  let size = 0;
  // A transaction begun by the read is announced first, even if no document follows.
  if (reader.transaction) batch.push(proto.BatchGetDocumentsResponse.encode({ transaction: reader.transaction, readTime }));
  const missing: Message[] = [];
  // All are looked up before the first is awaited.
  const found = names.map((name) => ({ name, document: reader.get(name.key) }));
  for (const { name, document: pending } of found) {
    const document = pending instanceof Pending ? yield* taken(pending) : pending;
    reader.database.meter.each('lookups', document?.bytes.length ?? 0);
    if (!document) {
      missing.push(proto.BatchGetDocumentsResponse.encode({ missing: name.text, readTime }));
      continue;
    }
    const message = new DocumentMessage(masked(document.bytes), tail);
    batch.push(message);
    size += message.length;
    if (size < batchBytes) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length + missing.length > 0) yield [...batch, ...missing];
}

/** Reduces documents to the fields of the mask; without a mask they stay as they are. */
export function masking(mask: MaskBytes | undefined): (document: Uint8Array) => Uint8Array {
  if (!mask) return (document) => document;
  const paths = readMask(mask);
  return (document) => project(document, paths);
}
