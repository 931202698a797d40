import type { Methods } from '../base/types.ts';
import type { Databases } from '../storage/databases.ts';
import { batchGetDocuments, getDocument } from './get.ts';
import { listDocuments } from './list.ts';
import { listCollectionIds } from './list-collections.ts';
import { createDocument, deleteDocument, updateDocument } from './write-document.ts';
import { writeStream } from './write-stream.ts';

/** The methods for documents by name. Ordered lists are queries and use `runQuery`. */
export const documentMethods = (databases: Databases, queries: Methods): Methods => ({
  GetDocument: getDocument(databases),
  BatchGetDocuments: batchGetDocuments(databases),
  ListDocuments: listDocuments(databases, queries),
  ListCollectionIds: listCollectionIds(databases),
  CreateDocument: createDocument(databases),
  UpdateDocument: updateDocument(databases),
  DeleteDocument: deleteDocument(databases),
  Write: writeStream(databases),
});
