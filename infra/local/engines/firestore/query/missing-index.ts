import { type DatabaseName, databaseName } from '../base/document-name.ts';
import { RpcError } from '../base/types.ts';
import { WireWriter } from '../proto/wire-writer.ts';
import { formatFieldPath } from '../value/field-path.ts';
import type { Nearest } from './find-nearest.ts';
import type { IndexNeed, NeededField } from './index-need.ts';

/** The service's errors for a missing index. Links contain the index as an encoded google.firestore.admin.v1.Index. */

const failed = (message: string): RpcError => new RpcError('FAILED_PRECONDITION', message);

export const missingComposite = (database: DatabaseName, need: IndexNeed): RpcError => {
  const { collectionId, equalities, sorts, aggregated, name } = need;
  const fields = [...equalities, ...sorts, ...aggregated].map(({ field, kind }) => [formatFieldPath(field.path), kind] as const);
  const link = linkTo(database, need, {
    parameter: 'create_composite',
    name: `${groupOf(database, collectionId)}/indexes/_`,
    fields: [...fields, ['__name__', name]],
  });
  return failed(`The query requires an index. You can create it here: ${link}`);
};

export const missingSingleField = (database: DatabaseName, need: IndexNeed, { field, kind }: NeededField): RpcError => {
  const path = formatFieldPath(field.path);
  const link = linkTo(database, need, {
    parameter: 'create_exemption',
    name: `${groupOf(database, need.collectionId)}/fields/${path}`,
    fields: [[path, kind]],
  });
  const words = `${need.scope}_${{ ASCENDING: 'ASC', DESCENDING: 'DESC', CONTAINS: 'CONTAINS' }[kind]}`;
  return failed(
    `The query requires a ${words} index for collection ${need.collectionId} and field ${path}. You can create it here: ${link}`,
  );
};

export const missingVector = (database: DatabaseName, need: IndexNeed, { field, to }: Nearest): RpcError => {
  const { collectionId, scope, equalities, sorts } = need;
  const filters = [...equalities, ...sorts].map(
    (one) =>
      ` --field-config=order=${one.kind === 'DESCENDING' ? 'DESCENDING' : 'ASCENDING'},field-path=${formatFieldPath(one.field.path)}`,
  );
  const vector = `--field-config=vector-config='{"dimension":"${to.length}","flat": "{}"}',field-path=${formatFieldPath(field.path)}`;
  return failed(
    'Missing vector index configuration. Please create the required index with the following gcloud command: ' +
      `gcloud firestore indexes composite create --project=${database.projectId} --database=${database.databaseId} ` +
      `--collection-group=${collectionId} --query-scope=${scope}${filters.join('')} ${vector}`,
  );
};

const groupOf = (database: DatabaseName, collectionId: string): string =>
  `${databaseName(database)}/collectionGroups/${collectionId}`;

interface MissingIndex {
  readonly parameter: 'create_composite' | 'create_exemption';
  readonly name: string;
  readonly fields: readonly (readonly [path: string, kind: NeededField['kind']])[];
}

const linkTo = (
  { projectId, databaseId }: DatabaseName,
  { scope }: IndexNeed,
  { parameter, name, fields }: MissingIndex,
): string => {
  const writer = new WireWriter().field(1, name).varint(2, scope === 'COLLECTION' ? 1 : 2);
  for (const [path, kind] of fields) {
    const field = new WireWriter().field(1, path);
    if (kind === 'CONTAINS') field.varint(3, 1);
    else field.varint(2, kind === 'ASCENDING' ? 1 : 2);
    writer.field(3, field.finish());
  }
  const at = databaseId === '(default)' ? 'firestore' : `firestore/databases/${databaseId}`;
  const encoded = writer.finish().toString('base64').replace(/=+$/, '');
  return `https://console.firebase.google.com/v1/r/project/${projectId}/${at}/indexes?${parameter}=${encoded}`;
};
