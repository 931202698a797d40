import { checkSameDatabase, type DatabaseName, databaseName, isPlainPath, parseDocumentName } from '../base/document-name.ts';
import { pathKey } from '../base/path-key.ts';
import { type PathKey, RpcError } from '../base/types.ts';
import { isText, WireError, WireReader } from '../proto/wire-reader.ts';
import { readMask } from '../value/field-mask.ts';
import type { FieldPath } from '../value/field-path.ts';
import { type CheckedFields, checkFields } from '../value/validate-fields.ts';
import { type Precondition, readPrecondition } from './precondition.ts';
import { type FieldTransform, readTransforms } from './transforms.ts';

/** One write of a request, parsed and validated independently of the database. */
export interface Write {
  readonly operation: 'update' | 'delete' | 'verify' | 'transform';
  /** The document's full name. */
  readonly name: string;
  readonly path: string;
  readonly key: PathKey;
  /** For updates. */
  readonly fields: CheckedFields | undefined;
  /** For updates: the fields to update; undefined means all. */
  readonly mask: readonly FieldPath[] | undefined;
  readonly transforms: readonly FieldTransform[];
  readonly precondition: Precondition | undefined;
}

/** Parses an encoded google.firestore.v1.Write. */
export const parseWrite = (bytes: Uint8Array, database: DatabaseName): Write => {
  try {
    return read(bytes, database);
  } catch (error) {
    // RangeError: the message is nested too deeply for the stack.
    if (error instanceof WireError || error instanceof RangeError)
      throw invalid(`Request message could not be parsed: ${error.message}`);
    throw error;
  }
};

const read = (bytes: Uint8Array, database: DatabaseName): Write => {
  const reader = new WireReader(bytes);
  let operation: Write['operation'] | undefined;
  let name = '';
  let document: Uint8Array | undefined;
  let mask: Uint8Array | undefined;
  let precondition: Precondition | undefined;
  let transforms: Uint8Array[] = [];
  const updateTransforms: Uint8Array[] = [];
  while (reader.next()) {
    if (reader.type !== 2) continue;
    if (reader.field === 1) {
      operation = 'update';
      document = reader.slice();
      name = documentNameOf(document);
    } else if (reader.field === 2 || reader.field === 5) {
      operation = reader.field === 2 ? 'delete' : 'verify';
      name = textOf(reader);
    } else if (reader.field === 6) {
      operation = 'transform';
      ({ name, transforms } = readDocumentTransform(reader.inner()));
    } else if (reader.field === 3) mask = reader.slice();
    else if (reader.field === 4) precondition = readPrecondition(reader.slice());
    else if (reader.field === 7) updateTransforms.push(reader.slice());
  }
  if (!operation) throw invalid('empty write operation');
  const place = placeOf(name, database);
  if (operation !== 'update') {
    if (mask) throw invalid(`a ${operation} must not specify a document mask.`);
    if (updateTransforms.length > 0) throw invalid(`a ${operation} must not specify a update transform.`);
    if (operation === 'verify' && !precondition) throw invalid('a verify must contain a precondition');
  }
  return {
    operation,
    name,
    ...place,
    fields: operation === 'update' && document ? checkFields(document) : undefined,
    mask: mask && readMask(mask),
    transforms:
      operation === 'update' ? readTransforms(updateTransforms) : operation === 'transform' ? readTransforms(transforms) : [],
    precondition,
  };
};

/** Path and key of a name in this database; throws for another database. */
const placeOf = (name: string, database: DatabaseName): { readonly path: string; readonly key: PathKey } => {
  const prefix = `${databaseName(database)}/documents/`;
  if (name.startsWith(prefix)) {
    const path = name.slice(prefix.length);
    if (isPlainPath(path)) return { path, key: pathKey(path) };
  }
  const { path, key, ...other } = parseDocumentName(name);
  checkSameDatabase(databaseName(database), databaseName(other));
  return { path, key };
};

const documentNameOf = (document: Uint8Array): string => {
  const reader = new WireReader(document);
  let name = '';
  // The name usually comes first, so the fields are not visited twice.
  while (reader.next()) {
    if (reader.field === 1 && reader.type === 2) {
      name = textOf(reader);
      if (reader.tagStart === 0) break;
    }
  }
  return name;
};

const readDocumentTransform = (reader: WireReader): { name: string; transforms: Uint8Array[] } => {
  let name = '';
  const transforms: Uint8Array[] = [];
  while (reader.next()) {
    if (reader.type !== 2) continue;
    if (reader.field === 1) name = textOf(reader);
    else if (reader.field === 2) transforms.push(reader.slice());
  }
  return { name, transforms };
};

const textOf = (reader: WireReader): string => {
  if (!isText(reader.bytes, reader.start, reader.stop)) throw new WireError('a string is not UTF-8');
  return reader.text();
};

const invalid = (message: string): RpcError => new RpcError('INVALID_ARGUMENT', message);
