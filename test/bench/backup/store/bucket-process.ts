/** Child process: a minimal S3 bucket that keeps small objects and drops the bytes of large ones. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';

/** Requests by kind since the last reply. */
export interface BucketReply {
  readonly url: string;
  readonly requests: Readonly<Record<string, number>>;
}

const keptBytes = 1 << 20;
const sizes = new Map<string, number>();
const kept = new Map<string, Buffer>();
const uploads = new Map<string, { size: number; readonly parts: Map<number, number> }>();
let requests: Record<string, number> = {};

const digest = (checksum: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(checksum >>> 0);
  return bytes.toString('base64');
};

/** Reads a body: its size, its checksum, and its bytes if it is small. */
const receive = async (request: IncomingMessage): Promise<{ size: number; checksum: number; bytes: Buffer }> => {
  let [size, checksum] = [0, 0];
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    checksum = crc32(part, checksum);
    if (size <= keptBytes) parts.push(part);
  }
  return { size, checksum, bytes: Buffer.concat(parts) };
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method = '', url = '' } = request;
  const { pathname: key, searchParams: query } = new URL(url, 'http://bucket');
  const { size, checksum, bytes } = await receive(request);
  const kind = `${method}${query.has('uploads') ? ' uploads' : query.has('partNumber') ? ' part' : query.has('list-type') ? ' list' : ''}`;
  requests[kind] = (requests[kind] ?? 0) + 1;
  const send = (status: number, headers: Record<string, string | number>, body: string | Buffer = ''): void =>
    void response.writeHead(status, headers).end(method === 'HEAD' ? undefined : body);
  const xml = (body: string): void => send(200, { 'content-type': 'application/xml' }, `<?xml version="1.0"?>${body}`);
  const id = query.get('uploadId') ?? '';
  const upload = uploads.get(id);
  if (method === 'POST' && query.has('uploads')) {
    const made = `upload-${uploads.size}`;
    uploads.set(made, { size: 0, parts: new Map() });
    return xml(`<InitiateMultipartUploadResult><UploadId>${made}</UploadId></InitiateMultipartUploadResult>`);
  }
  if (method === 'PUT') {
    if (upload) {
      upload.size += size;
      upload.parts.set(Number(query.get('partNumber')), checksum);
    } else {
      sizes.set(key, size);
      if (size <= keptBytes) kept.set(key, bytes);
    }
    return send(200, { etag: `"${checksum.toString(16)}"`, 'x-amz-checksum-crc32': digest(checksum) });
  }
  if (method === 'POST' && upload) {
    sizes.set(key, upload.size);
    composites.set(key, compositeOf(upload.parts));
    uploads.delete(id);
    return xml('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>');
  }
  if (query.has('list-type') || query.has('uploads'))
    return xml('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');
  const length = sizes.get(key);
  if (length === undefined) return send(404, {});
  const composite = composites.get(key);
  const headers = { etag: '"whole"', ...(composite && { 'x-amz-checksum-crc32': composite }) };
  if (method === 'HEAD') return send(200, { 'content-length': length, ...headers });
  send(200, headers, kept.get(key) ?? Buffer.alloc(0));
};

/** Composite checksums of multipart objects, as S3 reports them: the checksum of the parts' checksums. */
const composites = new Map<string, string>();
const compositeOf = (parts: ReadonlyMap<number, number>): string => {
  const sorted = [...parts].sort(([a], [b]) => a - b).map(([, checksum]) => Buffer.from(digest(checksum), 'base64'));
  return `${digest(crc32(Buffer.concat(sorted)))}-${sorted.length}`;
};

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.keepAliveTimeout = 0;
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
process.on('message', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests } satisfies BucketReply);
  requests = {};
});
process.on('disconnect', () => process.exit());
