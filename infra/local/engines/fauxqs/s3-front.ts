/**
 * The S3 endpoint of customers' buckets, in front of fauxqs. It adds what fauxqs lacks:
 * - rejects bodies that do not match Content-MD5, x-amz-checksum-crc32 or x-amz-content-sha256
 * - lists unfinished multipart uploads
 * - versions and Object Lock, in buckets created with it (lockable-buckets.ts)
 * - keeps the name of an object's server-side encryption; a key alias containing `missing` does not exist
 *
 * To try an outage: after a PUT of an object named `local-outage` into a bucket every other call to it answers 503, until a DELETE of it; or
 * 403, if the object says `denied`.
 *
 * Any credentials open any bucket. To try error handling, some access key ids are refused:
 * - containing `denied`, `wrong`, `invalid`, `revoked` or `expired` (any case): no access
 * - beginning with `readonly`: only reads; `writeonly`: only writes and lists; `nodelete`: everything except deletes
 * - beginning with `minio`: like MinIO, unfinished uploads are listed only by the exact name of their object
 * - beginning with `nosse`: a store that ignores server-side encryption
 * - beginning with `nolock`: cannot lock objects (no s3:PutObjectRetention); `noextend`: can lock new objects only;
 *   `noretention`: sees no locks (no s3:GetObjectRetention); `nobypass`: cannot bypass governance
 * - of the service's own functions: no access, because buckets belong to customers and no role of the template grants them
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Agent, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readBody } from '../../base/read-body.ts';
import { openLockableBuckets } from './lockable-buckets.ts';
import { refuse, S3Refusal } from './s3-xml.ts';
import { answerUploads, listUnfinished } from './unfinished-uploads.ts';
import type { Upstream } from './versioned-objects.ts';

interface S3FrontOptions {
  readonly port: number;
  readonly dir: string;
  /** Whether an access key belongs to a function. */
  readonly isOurs?: (accessKeyId: string) => boolean;
  /** Buckets with Object Lock, whose lifecycle expires noncurrent versions without a lock at once. */
  readonly lockableBuckets?: readonly string[];
}

interface Forwarded {
  readonly path?: string | undefined;
  readonly encryption?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export const makeS3Front = ({ port, dir, isOurs = () => false, lockableBuckets = [] }: S3FrontOptions): RequestListener => {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });

  /** The response is streamed. The request is buffered (fauxqs accepts 11 MiB), so it can be sent again. */
  const forward = (
    incoming: IncomingMessage,
    {
      body,
      response,
      options = {},
    }: { readonly body: Buffer; readonly response: ServerResponse; readonly options?: Forwarded | undefined },
  ): void => {
    const { method, url, headers } = incoming;
    const { encryption, path = url } = options;
    const kept = encryption === undefined ? headers : { ...headers, [encryptionMetadata]: encryption };
    const call = request({ agent, host: '127.0.0.1', port, method, path, headers: kept });
    call.once('error', (error: NodeJS.ErrnoException) => {
      // fauxqs closed an idle connection just as it was reused: nothing was processed, so retrying is safe.
      if (call.reusedSocket && error.code === 'ECONNRESET') forward(incoming, { body, response, options });
      else response.destroy();
    });
    call.once('response', (answer) => {
      const { connection: _own, 'keep-alive': _ours, [encryptionMetadata]: found, ...passed } = answer.headers;
      const reported = encryption ?? found;
      const shown = { ...passed, ...options.headers };
      response.writeHead(answer.statusCode ?? 500, reported === undefined ? shown : { ...shown, [encryptionHeader]: reported });
      answer.pipe(response);
      answer.once('error', () => response.destroy());
    });
    call.end(body);
  };

  const send: Upstream = (sent) =>
    new Promise((resolve, reject) => {
      const { method, path, headers = {}, body = Buffer.alloc(0) } = sent;
      const call = request({
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...headers, 'content-length': body.length },
      });
      call.once('error', (error: NodeJS.ErrnoException) => {
        if (call.reusedSocket && error.code === 'ECONNRESET') resolve(send(sent));
        else reject(error);
      });
      call.once('response', (answer) => {
        const { statusCode: status = 500, headers: received } = answer;
        readBody(answer).then((bytes) => resolve({ status, headers: received, body: bytes }), reject);
      });
      call.end(body);
    });

  /** A call whose response is small. The encryption of a stored object is kept and reported like that of a forwarded one. */
  const askAs =
    (encryption: string | undefined): Upstream =>
    async ({ method, path, headers = {}, body }) => {
      const kept = encryption === undefined ? headers : { ...headers, [encryptionMetadata]: encryption };
      const answer = await send({ method, path, headers: kept, ...(body && { body }) });
      return encryption === undefined ? answer : { ...answer, headers: { ...answer.headers, [encryptionHeader]: encryption } };
    };
  const lockable = openLockableBuckets(dir, askAs(undefined), lockableBuckets);

  const down = new Map<string, () => S3Refusal>();

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(incoming);
    const { method = 'GET', headers } = incoming;
    const url = new URL(incoming.url ?? '/', 'http://local');
    const [, bucket = '', ...key] = url.pathname.split('/');
    const isObject = key.join('') !== '';
    const accessKeyId = accessKeyOf(headers.authorization, url);
    if (isOurs(accessKeyId) || !isAllowed(accessKeyId, method, isObject))
      throw new S3Refusal(403, 'AccessDenied', 'Access Denied');
    if (key.join('/') === outageKey) {
      if (method === 'PUT') down.set(bucket, body.toString() === 'denied' ? denied : unavailable);
      if (method === 'DELETE') down.delete(bucket);
      return void response.writeHead(204).end();
    }
    const refusal = down.get(bucket);
    if (refusal) throw refusal();
    const flaw = flawOf(headers, body);
    if (flaw) throw new S3Refusal(400, flaw, 'The digest you specified did not match what we received.');
    if (method === 'GET' && !isObject && url.searchParams.has('uploads') && existsSync(join(dir, 'buckets', bucket)))
      return answerUploads(
        response,
        { bucket, prefix: url.searchParams.get('prefix') ?? '', isExact: accessKeyId.startsWith('minio') },
        listUnfinished(dir),
      );
    const isStored = isObject && (method === 'PUT' ? !url.searchParams.has('partNumber') : url.searchParams.has('uploads'));
    const encryption = isStored && !accessKeyId.startsWith('nosse') ? headers[encryptionHeader] : undefined;
    if (encryption !== undefined && String(headers[`${encryptionHeader}-aws-kms-key-id`]).includes('missing'))
      throw new S3Refusal(400, 'KMS.NotFoundException', 'The key does not exist.');
    const kept = encryption === undefined ? undefined : String(encryption);
    const isServed = await lockable.serve({
      method,
      url,
      headers,
      body,
      bucket,
      key: decodeURIComponent(key.join('/')),
      accessKeyId,
      response,
      forward: (path, more) => forward(incoming, { body, response, options: { path, headers: more } }),
      ask: askAs(kept),
    });
    if (!isServed) forward(incoming, { body, response, options: { encryption: kept } });
  };

  return (incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      if (error instanceof S3Refusal) refuse(response, error, incoming.method === 'HEAD');
      else response.destroy();
    });
  };
};

const outageKey = 'local-outage';
const denied = (): S3Refusal => new S3Refusal(403, 'AccessDenied', 'Access Denied');
const unavailable = (): S3Refusal => new S3Refusal(503, 'ServiceUnavailable', 'The service is unable to handle requests.');
const encryptionHeader = 'x-amz-server-side-encryption';
/** Stores the encryption name as object metadata. */
const encryptionMetadata = 'x-amz-meta-local-encryption';

const accessKeyOf = (authorization: string | undefined, url: URL): string => {
  const signed = authorization ?? url.searchParams.get('X-Amz-Credential') ?? '';
  return /(?:Credential=|^)([^/\s]+)\//.exec(signed)?.[1] ?? '';
};

const isAllowed = (key: string, method: string, isObject: boolean): boolean => {
  const isReading = method === 'GET' || method === 'HEAD';
  if (/denied|wrong|invalid|revoked|expired/i.test(key)) return false;
  if (key.startsWith('readonly')) return isReading;
  if (key.startsWith('writeonly')) return !isReading || !isObject;
  return !(key.startsWith('nodelete') && (method === 'DELETE' || (method === 'POST' && !isObject)));
};

/** The error code if the body does not match a digest in the headers. */
const flawOf = (headers: IncomingMessage['headers'], body: Buffer): string | undefined => {
  // Chunk-signed: the bytes sent differ from the bytes stored.
  if (headers['content-encoding']?.includes('aws-chunked')) return undefined;
  const { 'content-md5': md5, 'x-amz-checksum-crc32': crc, 'x-amz-content-sha256': sha256 } = headers;
  if (md5 !== undefined && md5 !== createHash('md5').update(body).digest('base64')) return 'BadDigest';
  if (typeof crc === 'string' && Buffer.from(crc, 'base64').toString('hex') !== crc32(body).toString(16).padStart(8, '0'))
    return 'BadDigest';
  if (/^[0-9a-f]{64}$/.test(String(sha256)) && sha256 !== createHash('sha256').update(body).digest('hex'))
    return 'XAmzContentSHA256Mismatch';
  return undefined;
};
