import { RpcError } from '../base/types.ts';

/** A REST route: the method, how to build its request, and the response message. */
interface RestRoute {
  readonly method: string;
  readonly answer: string;
  request(query: URLSearchParams, body: unknown): unknown;
}

const root = /^\/v1\/(projects\/[^/]+\/databases\/[^/]+)\/documents(?:\/(.+?))?(?::(\w+))?$/;

/** Verbs after a colon: the method, the field with the path, and the response. */
const verbs: Readonly<Record<string, readonly [method: string, field: 'database' | 'parent', answer: string]>> = {
  batchGet: ['BatchGetDocuments', 'database', 'BatchGetDocumentsResponse'],
  beginTransaction: ['BeginTransaction', 'database', 'BeginTransactionResponse'],
  commit: ['Commit', 'database', 'CommitResponse'],
  rollback: ['Rollback', 'database', 'DocumentMask'],
  batchWrite: ['BatchWrite', 'database', 'BatchWriteResponse'],
  runQuery: ['RunQuery', 'parent', 'RunQueryResponse'],
  runAggregationQuery: ['RunAggregationQuery', 'parent', 'RunAggregationQueryResponse'],
  partitionQuery: ['PartitionQuery', 'parent', 'PartitionQueryResponse'],
  executePipeline: ['ExecutePipeline', 'database', 'ExecutePipelineResponse'],
  listCollectionIds: ['ListCollectionIds', 'parent', 'ListCollectionIdsResponse'],
};

/** The route of a percent-encoded path; undefined if there is none. */
export function findRestRoute(httpMethod: string, path: string): RestRoute | undefined {
  const [, database, below = '', verb] = root.exec(path) ?? [];
  if (database === undefined) return undefined;
  const decoded = decodeSegments(below);
  const documents = `${decodeSegments(database).join('/')}/documents`;
  const full = decoded.length > 0 ? `${documents}/${decoded.join('/')}` : documents;
  if (verb !== undefined && Object.hasOwn(verbs, verb)) {
    const found = verbs[verb];
    if (!found || httpMethod !== 'POST') return undefined;
    const [method, field, answer] = found;
    const value = field === 'parent' ? full : documents.slice(0, -'/documents'.length);
    // Every pipeline gets the same error, whatever its stages are.
    if (verb === 'executePipeline') return { method, answer, request: () => ({ database: value }) };
    return { method, answer, request: (_query, body) => ({ ...objectOf(body), [field]: value }) };
  }
  if (verb !== undefined && below === '') return undefined;
  // A colon without a known verb belongs to the id.
  const segments = verb === undefined ? decoded : decodeSegments(`${below}:${verb}`);
  if (segments.length === 0) return undefined;
  const name = `${documents}/${segments.join('/')}`;
  return segments.length % 2 === 0 ? documentRoute(httpMethod, name) : collectionRoute(httpMethod, documents, segments);
}

function documentRoute(httpMethod: string, name: string): RestRoute | undefined {
  const answer = 'Document';
  if (httpMethod === 'GET') return { method: 'GetDocument', answer, request: (query) => ({ ...objectOfQuery(query), name }) };
  if (httpMethod === 'DELETE')
    return { method: 'DeleteDocument', answer: 'DocumentMask', request: (query) => ({ ...objectOfQuery(query), name }) };
  if (httpMethod !== 'PATCH') return undefined;
  return {
    method: 'UpdateDocument',
    answer,
    request: (query, body) => ({ ...objectOfQuery(query), document: { ...objectOf(body), name } }),
  };
}

function collectionRoute(httpMethod: string, documents: string, segments: readonly string[]): RestRoute | undefined {
  const collectionId = segments.at(-1);
  const parent = [documents, ...segments.slice(0, -1)].join('/');
  if (httpMethod === 'GET') {
    const answer = 'ListDocumentsResponse';
    return { method: 'ListDocuments', answer, request: (query) => ({ ...objectOfQuery(query), parent, collectionId }) };
  }
  // A collection name instead of a document name is rejected by the method.
  if (httpMethod !== 'POST') return documentRoute(httpMethod, `${parent}/${collectionId}`);
  return {
    method: 'CreateDocument',
    answer: 'Document',
    request: (query, body) => ({ ...objectOfQuery(query), parent, collectionId, document: objectOf(body) }),
  };
}

/** The decoded segments of a path; throws INVALID_ARGUMENT for a malformed percent-escape. */
export function decodeSegments(path: string): string[] {
  try {
    return path === '' ? [] : path.split('/').map(decodeURIComponent);
  } catch {
    throw new RpcError('INVALID_ARGUMENT', `The path "${path}" has a malformed percent-escape.`);
  }
}

const objectOf = (body: unknown): object => (typeof body === 'object' && body !== null ? body : {});

/** Converts `mask.fieldPaths=a&mask.fieldPaths=b` to an object, without system parameters. */
function objectOfQuery(query: URLSearchParams): object {
  const object: Record<string, unknown> = {};
  for (const key of new Set(query.keys())) {
    if (key.startsWith('$') || ['alt', 'key', 'access_token', 'prettyPrint', 'fields', 'callback'].includes(key)) continue;
    const values = query.getAll(key);
    const path = key.split('.');
    const last = path.pop() ?? '';
    let at = object;
    for (const step of path) {
      at[step] = at[step] ?? {};
      at = at[step] as Record<string, unknown>;
    }
    at[last] = values.length === 1 ? values[0] : values;
  }
  return object;
}
