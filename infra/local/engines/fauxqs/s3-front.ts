/**
 * The S3 endpoint of customers' buckets, in front of fauxqs. It adds what fauxqs lacks:
 * - rejects bodies that do not match Content-MD5, x-amz-checksum-crc32 or x-amz-content-sha256
 * - lists unfinished multipart uploads
 * - keeps the name of an object's server-side encryption; a key alias containing `missing` does not exist
 *
 * Any credentials open any bucket. To try error handling, some access key ids are refused:
 * - containing `denied`, `wrong`, `invalid`, `revoked` or `expired` (any case): no access
 * - beginning with `readonly`: only reads; `writeonly`: only writes and lists; `nodelete`: everything except deletes
 * - beginning with `nosse`: a store that ignores server-side encryption
 * - of the service's own functions: no access, because buckets belong to customers and no role of the template grants them
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readBody } from '../../base/read-body.ts';

interface S3FrontOptions {
  readonly port: number;
  readonly dir: string;
  /** Whether an access key belongs to a function. */
  readonly isOurs?: (accessKeyId: string) => boolean;
}

export const makeS3Front = ({ port, dir, isOurs = () => false }: S3FrontOptions): RequestListener => {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });

  /** The response is streamed. The request is buffered (fauxqs accepts 11 MiB), so it can be sent again. */
  const forward = (incoming: IncomingMessage, body: Buffer, response: ServerResponse, encryption?: string): void => {
    const { method, url, headers } = incoming;
    const kept = encryption === undefined ? headers : { ...headers, [encryptionMetadata]: encryption };
    const call = request({ agent, host: '127.0.0.1', port, method, path: url, headers: kept });
    call.once('error', (error: NodeJS.ErrnoException) => {
      // fauxqs closed an idle connection just as it was reused: nothing was processed, so retrying is safe.
      if (call.reusedSocket && error.code === 'ECONNRESET') forward(incoming, body, response, encryption);
      else response.destroy();
    });
    call.once('response', (answer) => {
      const { connection: _own, 'keep-alive': _ours, [encryptionMetadata]: found, ...passed } = answer.headers;
      const reported = encryption ?? found;
      response.writeHead(answer.statusCode ?? 500, reported === undefined ? passed : { ...passed, [encryptionHeader]: reported });
      answer.pipe(response);
      answer.once('error', () => response.destroy());
    });
    call.end(body);
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(incoming);
    const { method = 'GET', headers } = incoming;
    const url = new URL(incoming.url ?? '/', 'http://local');
    const [, bucket = '', ...key] = url.pathname.split('/');
    const isObject = key.join('') !== '';
    const accessKeyId = accessKeyOf(headers.authorization, url);
    if (isOurs(accessKeyId) || !isAllowed(accessKeyId, method, isObject))
      return refuse(response, 403, 'AccessDenied', 'Access Denied');
    const flaw = flawOf(headers, body);
    if (flaw) return refuse(response, 400, flaw, 'The digest you specified did not match what we received.');
    if (method === 'GET' && !isObject && url.searchParams.has('uploads') && existsSync(join(dir, 'buckets', bucket)))
      return answerUploads(response, bucket, url.searchParams.get('prefix') ?? '', unfinished(dir));
    const isStored = isObject && (method === 'PUT' ? !url.searchParams.has('partNumber') : url.searchParams.has('uploads'));
    const encryption = isStored && !accessKeyId.startsWith('nosse') ? headers[encryptionHeader] : undefined;
    if (encryption !== undefined && String(headers[`${encryptionHeader}-aws-kms-key-id`]).includes('missing'))
      return refuse(response, 400, 'KMS.NotFoundException', 'The key does not exist.');
    forward(incoming, body, response, encryption === undefined ? undefined : String(encryption));
  };

  return (incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  };
};

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

interface Unfinished {
  readonly uploadId: string;
  readonly bucket: string;
  readonly key: string;
  readonly initiated: string;
}

const unfinished = (dir: string): readonly Unfinished[] => {
  const folder = join(dir, '_multipart');
  return readdirSync(folder)
    .map((id) => join(folder, id, '.upload.json'))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Unfinished);
};

const answerUploads = (response: ServerResponse, bucket: string, prefix: string, all: readonly Unfinished[]): void => {
  const uploads = all
    .filter((upload) => upload.bucket === bucket && upload.key.startsWith(prefix))
    .map(
      ({ key, uploadId, initiated }) =>
        `<Upload><Key>${escaped(key)}</Key><UploadId>${escaped(uploadId)}</UploadId><Initiated>${escaped(initiated)}</Initiated></Upload>`,
    );
  xml(
    response,
    200,
    `<ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Bucket>${bucket}</Bucket><Prefix>${escaped(prefix)}</Prefix><IsTruncated>false</IsTruncated>${uploads.join('')}</ListMultipartUploadsResult>`,
  );
};

const refuse = (response: ServerResponse, status: number, code: string, message: string): void =>
  xml(response, status, `<Error><Code>${code}</Code><Message>${message}</Message></Error>`);

const xml = (response: ServerResponse, status: number, body: string): void => {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
};

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character] ?? character);
