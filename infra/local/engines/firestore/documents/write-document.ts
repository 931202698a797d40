import { randomInt } from 'node:crypto';
import {
  checkCollectionId,
  checkDocumentId,
  type DocumentName,
  documentName,
  parseDocumentName,
  parseParent,
} from '../base/document-name.ts';
import { type Method, RpcError } from '../base/types.ts';
import { type DocumentBytes, decodeRequest, type MaskBytes, proto, type Sendable, type Write } from '../proto/codecs.ts';
import { WireReader } from '../proto/wire-reader.ts';
import type { Databases } from '../storage/databases.ts';
import { commitWrites, parseWrite } from '../write/commit-writes.ts';
import { masking } from './get.ts';

/** CreateDocument: fails if the document exists. Without an id it gets a random one. */
export const createDocument = (databases: Databases): Method => ({
  kind: 'unary',
  run: async (bytes) => {
    const request = decodeRequest(proto.CreateDocumentRequest, bytes);
    const parent = parseParent(request.parent);
    checkCollectionId(request.collectionId);
    const id = request.documentId === '' ? randomId() : request.documentId;
    checkDocumentId(id);
    const { name, rest } = parted(request.document ?? new Uint8Array());
    if (name !== '') throw new RpcError('INVALID_ARGUMENT', 'Document name must not be set in a request that creates it.');
    const path = [parent.path, request.collectionId, id].filter((part) => part !== '').join('/');
    const full = parseDocumentName(documentName(parent, path));
    const document = Buffer.concat([proto.Document.encode({ name: documentName(parent, path) }), ...rest]);
    const write = { update: document, currentDocument: proto.Precondition.encode({ exists: false }) };
    return written(databases, { name: full, write, mask: request.mask });
  },
});

/** UpdateDocument: creates the document as well, unless a precondition forbids it. */
export const updateDocument = (databases: Databases): Method => ({
  kind: 'unary',
  run: async (bytes) => {
    const { document, updateMask, currentDocument, mask } = decodeRequest(proto.UpdateDocumentRequest, bytes);
    if (!document) throw new RpcError('INVALID_ARGUMENT', 'document is required.');
    const name = parseDocumentName(parted(document).name);
    return written(databases, { name, write: { update: document, updateMask, currentDocument }, mask });
  },
});

/** DeleteDocument: succeeds for a missing document, unless a precondition forbids it. */
export const deleteDocument = (databases: Databases): Method => ({
  kind: 'unary',
  run: async (bytes) => {
    const request = decodeRequest(proto.DeleteDocumentRequest, bytes);
    const name = parseDocumentName(request.name);
    const write = proto.Write.encode({ delete: request.name, currentDocument: request.currentDocument });
    await commitWrites(databases.open(name), [parseWrite(write, name)]);
    return new Uint8Array();
  },
});

async function written(
  databases: Databases,
  { name, write, mask }: { readonly name: DocumentName; readonly write: Sendable<Write>; readonly mask: MaskBytes | undefined },
): Promise<Uint8Array> {
  const masked = masking(mask);
  const database = databases.open(name);
  const { commitTime } = await commitWrites(database, [parseWrite(proto.Write.encode(write), name)]);
  const document = database.get(name.key, commitTime);
  if (!document) throw new Error('a written document cannot be read back');
  return masked(document.bytes);
}

/** Splits a document into its name and its other fields, still encoded. */
function parted(document: DocumentBytes): { readonly name: string; readonly rest: readonly Uint8Array[] } {
  const reader = new WireReader(document);
  const rest: Uint8Array[] = [];
  let name = '';
  while (reader.next()) {
    if (reader.field === 1 && reader.type === 2) name = reader.text();
    else rest.push(document.subarray(reader.tagStart, reader.at));
  }
  return { name, rest };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const randomId = (): string => Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('');
