/** Writes documents into the Firestore of this process directly, without a call that faults or counters would see. */
import type { Firestore } from '../../../infra/local/engines/firestore/index.ts';
import { proto, type Value } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { commitWrites, parseWrite } from '../../../infra/local/engines/firestore/write/commit-writes.ts';

export const databaseId = '(default)';

/** Fields of a document; `EncodedFields` have their values in wire format. */
export type Fields = Readonly<Record<string, Value>>;
export type EncodedFields = ReadonlyMap<string, Uint8Array>;

export const textField = (text: string): EncodedFields => new Map([['text', proto.Value.encode({ stringValue: text })]]);

export const documentsRoot = (projectId: string): string => `projects/${projectId}/databases/${databaseId}/documents`;

type Written = Iterable<readonly [path: string, fields: EncodedFields | undefined]>;

/** Undefined deletes a document. */
export const writeDocuments = async (server: Firestore, projectId: string, documents: Written): Promise<void> => {
  await commitDocuments(server, projectId, documents);
};

/** Returns the time of the last commit, in microseconds. */
export const commitDocuments = async (server: Firestore, projectId: string, documents: Written): Promise<number> => {
  const database = { projectId, databaseId };
  const writes = [...documents].map(([path, fields]) => {
    const name = `${documentsRoot(projectId)}/${path}`;
    const write = fields ? { update: proto.Document.encode({ name, fields }) } : { delete: name };
    return parseWrite(proto.Write.encode(write), database);
  });
  let last = 0;
  for (let n = 0; n < writes.length; n += 500)
    last = (await commitWrites(server.databases.open(database), writes.slice(n, n + 500))).commitTime;
  return last;
};

/** Writes documents by path; undefined deletes one. */
export const putDocuments = (
  server: Firestore,
  projectId: string,
  documents: Readonly<Record<string, Fields | undefined>>,
): Promise<void> =>
  writeDocuments(
    server,
    projectId,
    Object.entries(documents).map(([path, fields]) => [path, fields && encodeFields(fields)]),
  );

const encodeFields = (fields: Fields): EncodedFields =>
  new Map(Object.entries(fields).map(([field, value]) => [field, proto.Value.encode(value)]));
