/** The part of the Admin API that lists, creates and deletes indexes, and configures fields. */
import { type DatabaseName, databaseName, parseDatabaseName } from '../base/document-name.ts';
import { RpcError } from '../base/types.ts';
import { ancestor, type StoredField, type StoredIndex, type StoredOperation } from '../indexes/index-catalog.ts';
import { FieldChange, NewIndex, parseResource } from '../indexes/index-resource.ts';
import type { StoredDatabase } from '../storage/database.ts';
import type { Databases } from '../storage/databases.ts';
import { type ApiCall, type ApiRequest, maskOf, pageOf } from './api-call.ts';
import { decodeSegments } from './rest-routes.ts';

const path =
  /^\/v1\/(projects\/[^/]+\/databases\/[^/]+)\/(?:collectionGroups\/([^/]+)\/(indexes|fields)|(operations))(?:\/([^/]+))?$/;

/** A request for indexes, fields or operations of a database; undefined if the path is another. */
export const indexRoute = (databases: Databases, request: ApiRequest): ApiCall | undefined => {
  const [, place, group, kind, operations, id] = path.exec(request.path) ?? [];
  const what = kind ?? operations;
  if (place === undefined || what === undefined) return undefined;
  const verb = `${request.method}${id === undefined ? '' : ' one'} ${what}`;
  const found = routes[verb];
  if (!found) return undefined;
  const name = parseDatabaseName(decodeSegments(place).join('/'));
  const [collectionGroup = ''] = decodeSegments(group ?? '');
  const [element = ''] = decodeSegments(id ?? '');
  const [method, run] = found;
  return { method, name: databaseName(name), run: () => run(databases.open(name), { ...request, collectionGroup, id: element }) };
};

interface Target extends ApiRequest {
  /** `-` for all. */
  readonly collectionGroup: string;
  readonly id: string;
}
type Run = (database: StoredDatabase, target: Target) => unknown;

const routes: Readonly<Record<string, readonly [method: string, run: Run]>> = {
  'GET indexes': ['ListIndexes', (database, target) => pageOf(listIndexes(database, target), target.query, 'indexes')],
  'POST indexes': [
    'CreateIndex',
    (database, { collectionGroup, body }) =>
      operationOf(database, database.catalog.create(collectionGroup, parseResource(NewIndex, body))),
  ],
  'GET one indexes': [
    'GetIndex',
    (database, { collectionGroup, id }) => indexOf(database, database.catalog.find(collectionGroup, id)),
  ],
  'DELETE one indexes': [
    'DeleteIndex',
    (database, { collectionGroup, id }) => {
      database.catalog.remove(collectionGroup, id);
      return {};
    },
  ],
  'GET fields': ['ListFields', (database, target) => pageOf(listFields(database, target), target.query, 'fields')],
  'GET one fields': [
    'GetField',
    (database, { collectionGroup, id }) =>
      fieldOf(database, database.catalog.field(collectionGroup, id) ?? inherited(collectionGroup, id)),
  ],
  'PATCH one fields': ['UpdateField', patchField],
  'GET operations': [
    'ListOperations',
    (database, { query }) =>
      pageOf(
        database.catalog.operations.map((one) => operationOf(database, one)),
        query,
        'operations',
      ),
  ],
  'GET one operations': [
    'GetOperation',
    (database, { id }) => {
      const found = database.catalog.operations.find((one) => one.id === id);
      if (!found) throw new RpcError('NOT_FOUND', `The operation ${id} does not exist.`);
      return operationOf(database, found);
    },
  ],
};

const listIndexes = (database: StoredDatabase, { collectionGroup }: Target) =>
  database.catalog.indexes
    .filter((one) => collectionGroup === '-' || one.collectionGroup === collectionGroup)
    .map((one) => indexOf(database, one));

/** The service lists only what is not inherited, and so demands a filter for it. */
const listFields = (database: StoredDatabase, { collectionGroup, query }: Target) => {
  const filter = query.get('filter') ?? '';
  const isOverride = /indexConfig\.usesAncestorConfig\s*[:=]\s*false/.test(filter);
  const isTtl = /ttlConfig:\*/.test(filter);
  if (!isOverride && !isTtl)
    throw new RpcError(
      'INVALID_ARGUMENT',
      'Currently only fields that have been explicitly overridden can be listed: the filter needs indexConfig.usesAncestorConfig:false or ttlConfig:*',
    );
  const wanted = database.catalog.fields.filter(
    (one) =>
      (collectionGroup === '-' || one.collectionGroup === collectionGroup) &&
      ((isOverride && one.indexes !== undefined) || (isTtl && one.ttlSince !== undefined)),
  );
  const isDefaultListed =
    isOverride && ['-', ancestor.collectionGroup].includes(collectionGroup) && !database.catalog.field('__default__', '*');
  const all = [...(isDefaultListed ? [{ ...ancestor, indexes: automatic('*'), changedAt: 0 }] : []), ...wanted];
  return all.map((one) => fieldOf(database, one));
};

function patchField(database: StoredDatabase, { collectionGroup, id, body, query }: Target) {
  const mask = maskOf(query) ?? new Set(['indexConfig', 'ttlConfig']);
  for (const field of mask)
    if (field !== 'indexConfig' && field !== 'ttlConfig') throw new RpcError('INVALID_ARGUMENT', `Invalid update mask ${field}.`);
  const operation = database.catalog.patch({ collectionGroup, fieldPath: id }, parseResource(FieldChange, body), mask);
  return operationOf(database, operation);
}

const automatic = (fieldPath: string): NonNullable<StoredField['indexes']> => [
  { queryScope: 'COLLECTION', fields: [{ fieldPath, order: 'ASCENDING' }] },
  { queryScope: 'COLLECTION', fields: [{ fieldPath, order: 'DESCENDING' }] },
  { queryScope: 'COLLECTION', fields: [{ fieldPath, arrayConfig: 'CONTAINS' }] },
];

const inherited = (collectionGroup: string, fieldPath: string): StoredField => ({ collectionGroup, fieldPath, changedAt: 0 });

const groupOf = (database: DatabaseName, collectionGroup: string): string =>
  `${databaseName(database)}/collectionGroups/${collectionGroup}`;

const indexOf = (database: StoredDatabase, { id, collectionGroup, createdAt, ...index }: StoredIndex) => ({
  name: `${groupOf(database, collectionGroup)}/indexes/${id}`,
  ...index,
  density: 'SPARSE_ALL',
  state: database.catalog.isReady(createdAt) ? 'READY' : 'CREATING',
});

const fieldOf = (database: StoredDatabase, field: StoredField) => {
  const { collectionGroup, fieldPath, indexes, ttlSince, changedAt } = field;
  const ofAncestor = database.catalog.field(collectionGroup, '*') ?? database.catalog.field('__default__', '*');
  const shown = indexes ?? ofAncestor?.indexes ?? automatic(fieldPath);
  const state = database.catalog.isReady(changedAt) ? 'READY' : 'CREATING';
  return {
    name: `${groupOf(database, collectionGroup)}/fields/${fieldPath}`,
    indexConfig: {
      ...(shown.length > 0 && {
        indexes: shown.map((index) => ({ ...index, fields: index.fields.map((one) => ({ ...one, fieldPath })), state })),
      }),
      ...(indexes === undefined && {
        usesAncestorConfig: true,
        ancestorField: `${groupOf(database, ancestor.collectionGroup)}/fields/${ancestor.fieldPath}`,
      }),
    },
    ...(ttlSince !== undefined && { ttlConfig: { state: database.catalog.isReady(ttlSince) ? 'ACTIVE' : 'CREATING' } }),
  };
};

const metadataType = (kind: string): string => `type.googleapis.com/google.firestore.admin.v1.${kind}`;
const momentOf = (micros: number): string => new Date(micros / 1_000).toISOString();

const operationOf = (database: StoredDatabase, { id, startedAt, subject }: StoredOperation) => {
  const { catalog, size } = database;
  const progress = catalog.progressOf(startedAt);
  const isDone = progress === 1;
  const metadata = {
    startTime: momentOf(startedAt),
    state: isDone ? 'SUCCESSFUL' : 'PROCESSING',
    progressDocuments: { estimatedWork: String(size), completedWork: String(Math.floor(size * progress)) },
  };
  const name = `${databaseName(database)}/operations/${id}`;
  if ('index' in subject) {
    const index = catalog.indexes.find((one) => one.id === subject.index);
    const resource = index && indexOf(database, index);
    return {
      name,
      metadata: { '@type': metadataType('IndexOperationMetadata'), ...metadata, ...(resource && { index: resource.name }) },
      ...(isDone && { done: true, ...(resource && { response: { '@type': metadataType('Index'), ...resource } }) }),
    };
  }
  const field = fieldOf(database, catalog.field(subject.collectionGroup, subject.fieldPath) ?? { ...subject, changedAt: 0 });
  return {
    name,
    metadata: { '@type': metadataType('FieldOperationMetadata'), ...metadata, field: field.name },
    ...(isDone && { done: true, response: { '@type': metadataType('Field'), ...field } }),
  };
};
