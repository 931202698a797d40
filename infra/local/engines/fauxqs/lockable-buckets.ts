/**
 * Calls to buckets with Object Lock: versions, delete markers and retention. A locked version is not deleted before its time. In
 * governance mode a caller with the header `x-amz-bypass-governance-retention` may delete it; in compliance mode no caller may.
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type BucketVersions, openBucketVersions, type Retention, type Version } from './bucket-versions.ts';
import {
  type DeletedObject,
  deleteResultXml,
  escaped,
  objectLockXml,
  parseRetention,
  readDelete,
  readRetention,
  retentionXml,
  S3Refusal,
  versioningXml,
  versionsXml,
  xml,
} from './s3-xml.ts';
import { hiddenPrefix, type Upstream, VersionedObjects } from './versioned-objects.ts';

export interface BucketCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly bucket: string;
  /** Decoded; empty for a call to the bucket. */
  readonly key: string;
  readonly accessKeyId: string;
  readonly response: ServerResponse;
  /** Streams the response of fauxqs, from another path and with more headers. */
  readonly forward: (path: string, headers: Readonly<Record<string, string>>) => void;
  /** The same with a buffered response. */
  readonly ask: Upstream;
}

interface LockableBuckets {
  /** False if the call concerns no bucket with Object Lock. */
  serve(call: BucketCall): Promise<boolean>;
}

const modeHeader = 'x-amz-object-lock-mode';
const untilHeader = 'x-amz-object-lock-retain-until-date';

export const openLockableBuckets = (dir: string, ask: Upstream, initial: readonly string[]): LockableBuckets => {
  const versions = openBucketVersions(dir);
  const objects = new VersionedObjects(versions, ask);
  /** The retention that an unfinished upload gives its object. Lost in a restart, like the worker that uploads. */
  const uploads = new Map<string, Retention | undefined>();
  for (const name of initial) versions.enable({ name, expiresNoncurrent: true });

  const serveBucket = async (call: BucketCall): Promise<boolean> => {
    const { method, url, bucket, body, response, ask: askAs } = call;
    const { searchParams: query } = url;
    if (method === 'GET' && query.has('versioning')) xml(response, { status: 200, body: versioningXml });
    else if (method === 'GET' && query.has('object-lock')) xml(response, { status: 200, body: objectLockXml });
    else if (method === 'GET' && query.has('versions')) {
      const after = { key: query.get('key-marker') ?? '', versionId: query.get('version-id-marker') ?? '' };
      const limit = Math.min(Number(query.get('max-keys') ?? 1_000), 1_000);
      xml(response, { status: 200, body: versionsXml(versions, { bucket, prefix: query.get('prefix') ?? '', after, limit }) });
    } else if (method === 'PUT' && (query.has('versioning') || query.has('object-lock'))) {
      if (body.includes('Suspended'))
        throw new S3Refusal(409, 'InvalidBucketState', 'Versioning cannot be suspended in a bucket with Object Lock.');
      if (body.includes('<Rule>')) throw new S3Refusal(501, 'NotImplemented', 'The local stage has no default retention.');
      response.writeHead(200).end();
    } else if (method === 'POST' && query.has('delete')) {
      const results = [];
      for (const one of readDelete(body)) results.push(await removeOne(call, one));
      xml(response, { status: 200, body: deleteResultXml(results) });
    } else if (method === 'GET' && !query.has('uploads') && !query.has('lifecycle')) {
      const { status, body: listed } = await askAs({ method, path: `${url.pathname}${url.search}` });
      const shown = listed
        .toString()
        .replace(/<Contents>[\s\S]*?<\/Contents>/g, (entry) => (entry.includes(`<Key>${escaped(hiddenPrefix)}`) ? '' : entry));
      response.writeHead(status, { 'content-type': 'application/xml' }).end(shown);
    } else return false;
    return true;
  };

  const removeOne = async (call: BucketCall, { key, versionId }: DeletedObject) => {
    try {
      const removed = await objects.remove({ bucket: call.bucket, key }, versionId, isBypassed(call));
      return { key, versionId, ...(removed?.isMarker && { marker: removed.id }) };
    } catch (error) {
      if (!(error instanceof S3Refusal)) throw error;
      return { key, versionId, code: error.code };
    }
  };

  const serveObject = async (call: BucketCall): Promise<boolean> => {
    const { method, url, bucket, key, body, headers, response, forward } = call;
    const name = { bucket, key };
    const { searchParams: query } = url;
    const versionId = query.get('versionId') ?? undefined;
    const uploadId = query.get('uploadId');
    if (query.has('legal-hold')) throw new S3Refusal(501, 'NotImplemented', 'The local stage has no legal holds.');
    if (query.has('retention')) {
      if (method === 'PUT') {
        if (/^no(lock|extend)/.test(call.accessKeyId)) throw accessDenied();
        await objects.retain(name, { versionId, next: readRetention(body), isBypassed: isBypassed(call) });
        response.writeHead(200).end();
      } else {
        if (isBlind(call)) throw accessDenied();
        const { retention } = await objects.find(name, versionId);
        if (!retention) throw new S3Refusal(404, 'NoSuchObjectLockConfiguration', 'The object has no retention.');
        xml(response, { status: 200, body: retentionXml(retention) });
      }
    } else if (method === 'GET' || method === 'HEAD') {
      const version = await objects.find(name, versionId);
      forward(objects.pathOf(name, version), { 'x-amz-version-id': version.id, ...(isBlind(call) ? {} : lockHeaders(version)) });
    } else if (method === 'DELETE' && uploadId === null) {
      const removed = await objects.remove(name, versionId, isBypassed(call));
      response
        .writeHead(204, removed && { 'x-amz-version-id': removed.id, ...(removed.isMarker && { 'x-amz-delete-marker': 'true' }) })
        .end();
    } else if (method === 'POST' && query.has('uploads')) {
      const retention = requestedRetention(call);
      const answer = await call.ask({ method, path: `${url.pathname}${url.search}`, headers, body });
      const id = /<UploadId>([^<]+)</.exec(answer.body.toString())?.[1];
      if (id !== undefined) uploads.set(id, retention);
      reply(response, answer);
    } else if (method === 'PUT' ? !query.has('partNumber') : method === 'POST' && uploadId !== null) {
      const retention = uploadId === null ? requestedRetention(call) : uploads.get(uploadId);
      const store = () => call.ask({ method, path: `${url.pathname}${url.search}`, headers, body });
      const { answer, version } = await objects.add(name, retention, store);
      reply(response, answer, version && { 'x-amz-version-id': version.id });
    } else return false;
    return true;
  };

  return {
    serve: async (call) => {
      const { method, bucket, key, headers, url } = call;
      if (method === 'PUT' && key === '' && url.search === '' && headers['x-amz-bucket-object-lock-enabled'] === 'true') {
        await createBucket(call, versions.enable);
        return true;
      }
      if (versions.bucket(bucket)) return key === '' ? serveBucket(call) : serveObject(call);
      if (key !== '' && (headers[modeHeader] !== undefined || url.searchParams.has('retention')))
        throw new S3Refusal(400, 'InvalidRequest', 'Bucket is missing Object Lock Configuration');
      return false;
    },
  };
};

const createBucket = async ({ bucket, ask, url, response }: BucketCall, enable: BucketVersions['enable']): Promise<void> => {
  const body = Buffer.from('<CreateBucketConfiguration><Bucket><Type>Directory</Type></Bucket></CreateBucketConfiguration>');
  const answer = await ask({ method: 'PUT', path: url.pathname, body });
  if (answer.status === 200) enable({ name: bucket, expiresNoncurrent: false });
  reply(response, answer);
};

const accessDenied = (): S3Refusal => new S3Refusal(403, 'AccessDenied', 'Access Denied');

/** Without s3:GetObjectRetention the lock of an object is not shown. */
const isBlind = ({ accessKeyId }: BucketCall): boolean => accessKeyId.startsWith('noretention');

const isBypassed = ({ headers, accessKeyId }: BucketCall): boolean =>
  headers['x-amz-bypass-governance-retention'] === 'true' && !accessKeyId.startsWith('nobypass');

const lockHeaders = ({ retention }: Version): Record<string, string> =>
  retention ? { [modeHeader]: retention.mode, [untilHeader]: retention.until } : {};

/** The retention that the headers of a new object ask for. */
const requestedRetention = ({ headers, accessKeyId }: BucketCall): Retention | undefined => {
  if (headers[modeHeader] === undefined && headers[untilHeader] === undefined) return undefined;
  if (accessKeyId.startsWith('nolock')) throw accessDenied();
  const retention = parseRetention(headers[modeHeader], headers[untilHeader]);
  if (Date.parse(retention.until) <= Date.now())
    throw new S3Refusal(400, 'InvalidArgument', 'The retain until date must be in the future!');
  return retention;
};

const reply = (
  response: ServerResponse,
  { status, headers, body }: Awaited<ReturnType<Upstream>>,
  more: Readonly<Record<string, string>> = {},
): void => {
  const { connection: _own, 'keep-alive': _ours, 'transfer-encoding': _chunked, 'content-length': _length, ...passed } = headers;
  response.writeHead(status, { ...passed, 'content-length': body.length, ...more }).end(body);
};
