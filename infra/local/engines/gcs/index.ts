/**
 * Cloud Storage: the part of the JSON API that official clients use for buckets and for writing, reading, listing and deleting
 * objects. Any token or none opens any bucket, unless `authorize` refuses it; google-token.ts decides which accounts get a token.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { badRequest, bucketResource, GcsError, noBucket, noObject, objectResource, refuse, reply } from './gcs-resources.ts';
import { type ObjectFiles, openObjectFiles, type StoredObject } from './object-files.ts';
import { assertReplaceable, assertRetainable, readRetention } from './object-retention.ts';
import { check, preconditionOf } from './precondition.ts';
import { bodyOf, makeUploads, retentionPermission } from './upload.ts';

interface Gcs {
  readonly listener: RequestListener;
  /** Idempotent. Its objects may have a retention. */
  createBucket(name: string): void;
}

const pageMax = 1_000;
const bodyMaxBytes = 1 << 20;

/** Throws if the bearer of the token lacks the permission on the bucket. */
export type AuthorizeBucket = (token: string | undefined, bucket: string, permission: string) => void;

export const startGcs = ({ dir, authorize = () => {} }: { dir: string; authorize?: AuthorizeBucket }): Gcs => {
  const files = openObjectFiles(join(dir, 'gcs'));
  const uploads = makeUploads(files);

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const self = `http://${request.headers.host ?? 'localhost'}`;
    const url = new URL(request.url ?? '/', self);
    const { method = 'GET' } = request;
    const { kind, bucket, name } = read(url.pathname);
    if (kind === 'buckets') return serveBuckets(files, { request, response, self });
    const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
    const permit = (permission: string): void => authorize(token, bucket, permission);
    permit(permissionOf(kind, method));
    if (kind === 'bucket') return serveBucket(files, { request, response, name: bucket, self });
    if (!files.bucket(bucket)) throw noBucket();
    if (kind === 'upload') return uploads.take(request, response, { url, bucket, permit });
    if (kind === 'objects') return listObjects(files, { url, response, bucket, self });
    const generation = url.searchParams.get('generation') ?? undefined;
    const object = files.object(bucket, name, generation);
    if (!object) throw noObject(bucket, name);
    check(preconditionOf(url), object, { isRead: method === 'GET' });
    if (method === 'DELETE') {
      const isForGood = generation !== undefined;
      assertReplaceable(object, !isForGood && files.bucket(bucket)?.isVersioned === true);
      files.remove(object, { isForGood });
      return reply(response, { status: 204, body: undefined });
    }
    if (method === 'PATCH') {
      const change = JSON.parse((await bodyOf(request, bodyMaxBytes)).toString()) as { retention?: unknown };
      permit(retentionPermission);
      const retention = readRetention(files.bucket(bucket), change.retention);
      assertRetainable(object, retention, url.searchParams.get('overrideUnlockedRetention') === 'true');
      const metageneration = String(Number(object.metageneration ?? 1) + 1);
      return reply(response, {
        status: 200,
        body: objectResource(files.describe({ ...object, retention, metageneration }), self),
      });
    }
    if (method !== 'GET') throw badRequest('The local stage does not support this operation.');
    if (url.searchParams.get('alt') === 'media') return sendBytes(files, { object, request, response });
    reply(response, { status: 200, body: objectResource(object, self) });
  };

  const listener: RequestListener = (request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, error instanceof GcsError ? error : new GcsError(400, 'invalid', 'The request is malformed.'));
    });
  };
  return { listener, createBucket: (name) => void files.createBucket(name, { isRetaining: true }) };
};

interface Address {
  readonly kind: 'buckets' | 'bucket' | 'objects' | 'object' | 'upload';
  readonly bucket: string;
  readonly name: string;
}

/** `/storage/v1/b/<bucket>/o/<object>` or a prefix of it; below /upload for writes and /download for reads. */
const read = (pathname: string): Address => {
  const path = /^(?:\/(upload|download))?\/storage\/v1\/b(?:\/([^/]+))?(\/o)?(?:\/(.+))?\/?$/.exec(pathname);
  if (!path) throw new GcsError(404, 'notFound', 'Not Found');
  const [, prefix, bucket = '', objects, name = ''] = path;
  const kind =
    bucket === '' ? 'buckets' : !objects ? 'bucket' : prefix === 'upload' ? 'upload' : name === '' ? 'objects' : 'object';
  return { kind, bucket: decodeURIComponent(bucket), name: decodeURIComponent(name) };
};

const permissionOf = (kind: Address['kind'], method: string): string => {
  if (kind === 'bucket') return `storage.buckets.${method === 'GET' ? 'get' : 'update'}`;
  if (kind === 'upload') return 'storage.objects.create';
  if (kind === 'objects') return 'storage.objects.list';
  return `storage.objects.${method === 'DELETE' ? 'delete' : method === 'PATCH' ? 'update' : 'get'}`;
};

const serveBuckets = async (
  files: ObjectFiles,
  { request, response, self }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly self: string },
): Promise<void> => {
  if (request.method !== 'POST')
    return reply(response, {
      status: 200,
      body: { kind: 'storage#buckets', items: files.buckets().map((each) => bucketResource(each, self)) },
    });
  const { name, versioning } = JSON.parse((await bodyOf(request, bodyMaxBytes)).toString()) as BucketSettings;
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(name)) throw badRequest('Invalid bucket name.');
  if (files.bucket(name)) throw new GcsError(409, 'conflict', 'You already own this bucket. Please select another name.');
  const isRetaining = new URL(request.url ?? '/', self).searchParams.get('enableObjectRetention') === 'true';
  const isVersioned = versioning?.enabled === true;
  reply(response, { status: 200, body: bucketResource(files.createBucket(name, { isRetaining, isVersioned }), self) });
};

interface BucketSettings {
  readonly name?: unknown;
  readonly versioning?: { readonly enabled?: unknown };
}

const serveBucket = async (
  files: ObjectFiles,
  {
    request,
    response,
    name,
    self,
  }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly name: string; readonly self: string },
): Promise<void> => {
  const bucket = files.bucket(name);
  if (!bucket) throw noBucket();
  if (request.method === 'PATCH') {
    const { versioning } = JSON.parse((await bodyOf(request, bodyMaxBytes)).toString()) as BucketSettings;
    const isVersioned = versioning?.enabled === true;
    reply(response, { status: 200, body: bucketResource(files.createBucket(name, { ...bucket, isVersioned }), self) });
  } else if (request.method === 'DELETE') {
    if (files.list(name, { versions: true }).length > 0)
      throw new GcsError(409, 'conflict', 'The bucket you tried to delete is not empty.');
    files.removeBucket(name);
    reply(response, { status: 204, body: undefined });
  } else reply(response, { status: 200, body: bucketResource(bucket, self) });
};

const listObjects = (
  files: ObjectFiles,
  {
    url,
    response,
    bucket,
    self,
  }: { readonly url: URL; readonly response: ServerResponse; readonly bucket: string; readonly self: string },
): void => {
  const { searchParams: query } = url;
  const limit = Math.min(Number(query.get('maxResults') ?? pageMax), pageMax);
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
  const after = Buffer.from(query.get('pageToken') ?? '', 'base64').toString();
  const versions = query.get('versions') === 'true';
  const items: StoredObject[] = [];
  const prefixes = new Set<string>();
  let last = '';
  let hasMore = false;
  for (const object of files.list(bucket, { prefix, after, versions })) {
    const cut = delimiter === '' ? -1 : object.name.indexOf(delimiter, prefix.length);
    const folder = cut < 0 ? undefined : object.name.slice(0, cut + delimiter.length);
    if (folder !== undefined && prefixes.has(folder)) {
      last = object.name;
      continue;
    }
    // A page does not end between the generations of one object, so that its token is a name.
    if (items.length + prefixes.size >= limit && object.name !== last) {
      hasMore = true;
      break;
    }
    if (folder === undefined) items.push(object);
    else prefixes.add(folder);
    last = object.name;
  }
  reply(response, {
    status: 200,
    body: {
      kind: 'storage#objects',
      ...(items.length > 0 && { items: items.map((object) => objectResource(object, self)) }),
      ...(prefixes.size > 0 && { prefixes: [...prefixes] }),
      ...(hasMore && { nextPageToken: Buffer.from(last).toString('base64') }),
    },
  });
};

const sendBytes = async (
  files: ObjectFiles,
  {
    object,
    request,
    response,
  }: { readonly object: StoredObject; readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> => {
  const { size, md5Hash, crc32c, contentType, generation } = object;
  const headers = {
    'content-type': contentType,
    'accept-ranges': 'bytes',
    etag: generation,
    'x-goog-generation': generation,
    'x-goog-metageneration': object.metageneration ?? '1',
    'x-goog-stored-content-encoding': 'identity',
    'x-goog-hash': `crc32c=${crc32c},md5=${md5Hash}`,
    'x-goog-stored-content-length': String(size),
  };
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const isRange = first !== undefined && (first !== '' || last !== '');
  const from = !isRange ? 0 : first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = !isRange || first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (isRange && from >= size) throw new GcsError(416, 'requestedRangeNotSatisfiable', 'Request range not satisfiable');
  response.writeHead(isRange ? 206 : 200, {
    ...headers,
    'content-length': to - from + 1,
    ...(isRange && { 'content-range': `bytes ${from}-${to}/${size}` }),
  });
  if (size === 0) response.end();
  else await pipeline(files.read(object, from, to), response);
};
