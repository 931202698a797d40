import { RpcError, type StoredDocument } from '../base/types.ts';
import type { FieldReference } from '../proto/query-messages.ts';
import { type FieldPath, parseFieldPath } from '../value/field-path.ts';
import { lookUp, type Value } from '../value/value.ts';

/** A field of a query: a path into the document, or the document's name. */
export interface FieldRef {
  /** The client's notation; equal texts are equal fields. */
  readonly text: string;
  readonly path: FieldPath;
  readonly isName: boolean;
  /** The database's name, for full document names. */
  readonly databaseName: string;
}

export const nameField = (databaseName: string): FieldRef => ({
  text: '__name__',
  path: ['__name__'],
  isName: true,
  databaseName,
});

export const fieldRef = (field: FieldReference | undefined, databaseName: string): FieldRef => {
  if (!field?.fieldPath) throw new RpcError('INVALID_ARGUMENT', 'Invalid empty property path string.');
  if (field.fieldPath === '__name__') return nameField(databaseName);
  const path = parseFieldPath(field.fieldPath);
  return { text: path.map((name) => JSON.stringify(name)).join('.'), path, isName: false, databaseName };
};

export const fieldValue = (document: StoredDocument, field: FieldRef): Value | undefined =>
  field.isName
    ? { kind: 'reference', value: `${field.databaseName}/documents/${document.path}` }
    : lookUp(document.bytes, field.path);
