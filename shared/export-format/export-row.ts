import { collectionIdOf, type RestDocument, type RestFields } from '../firestore/index.ts';

/** A document on its way into a file. */
export interface ExportRow {
  /** The documents root of its database, `projects/…/databases/…/documents`. */
  readonly root: string;
  /** Below the root, such as `users/ada/orders/7`. */
  readonly path: string;
  readonly id: string;
  /** The id of the collection, such as `orders`: a table has the documents of all collections with one id. */
  readonly collectionId: string;
  readonly createTime: string | undefined;
  readonly updateTime: string | undefined;
  readonly fields: RestFields;
}

export const exportRow = ({ name, fields, createTime, updateTime }: RestDocument, root: string): ExportRow => {
  const path = name.slice(root.length + 1);
  return {
    root,
    path,
    id: path.slice(path.lastIndexOf('/') + 1),
    collectionId: collectionIdOf(path),
    createTime,
    updateTime,
    fields,
  };
};

/** What every format has of a document beside its fields. Firestore reserves names of this form, so no field has one. */
export const documentColumns = ['__path__', '__id__', '__createTime__', '__updateTime__'] as const;

export const documentColumn = (row: ExportRow, column: (typeof documentColumns)[number]): string | undefined => {
  if (column === '__path__') return row.path;
  if (column === '__id__') return row.id;
  return column === '__createTime__' ? row.createTime : row.updateTime;
};

/** A reference as the path below the same root, so that it equals the `__path__` of its target; into other databases it stays whole. */
export const referencePath = (name: string, root: string): string =>
  name.startsWith(`${root}/`) ? name.slice(root.length + 1) : name;

/** A document as one line of typed NDJSON: Firestore's REST JSON, every type kept. */
export const typedLine = ({ root, path, fields, createTime, updateTime }: ExportRow): string =>
  JSON.stringify({ name: `${root}/${path}`, fields, createTime, updateTime });
