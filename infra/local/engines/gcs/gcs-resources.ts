/** Resources and errors of the JSON API. */
import type { ServerResponse } from 'node:http';
import type { Bucket, StoredObject } from './object-files.ts';

export const objectResource = (object: StoredObject, selfUrl: string) => {
  const { bucket, name, size, md5Hash, crc32c, contentType, metadata, retention, generation, timeCreated, timeDeleted } = object;
  const { metageneration = '1' } = object;
  const path = `${selfUrl}/storage/v1/b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(name)}`;
  return {
    kind: 'storage#object',
    id: `${bucket}/${name}/${generation}`,
    selfLink: path,
    mediaLink: `${selfUrl}/download${path.slice(selfUrl.length)}?generation=${generation}&alt=media`,
    name,
    bucket,
    generation,
    metageneration,
    contentType,
    storageClass: 'STANDARD',
    size: String(size),
    md5Hash,
    crc32c,
    etag: generation,
    timeCreated,
    updated: timeCreated,
    timeStorageClassUpdated: timeCreated,
    ...(metadata && { metadata }),
    ...(retention && { retention }),
    ...(timeDeleted !== undefined && { timeDeleted }),
  };
};

export const bucketResource = ({ name, timeCreated, isRetaining, isVersioned }: Bucket, selfUrl: string) => ({
  kind: 'storage#bucket',
  id: name,
  selfLink: `${selfUrl}/storage/v1/b/${name}`,
  name,
  projectNumber: '0',
  metageneration: '1',
  location: 'EU',
  storageClass: 'STANDARD',
  etag: 'CAE=',
  timeCreated,
  updated: timeCreated,
  ...(isRetaining && { objectRetention: { mode: 'Enabled' } }),
  ...(isVersioned && { versioning: { enabled: true } }),
});

export class GcsError extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

export const noBucket = (): GcsError => new GcsError(404, 'notFound', 'The specified bucket does not exist.');
export const noObject = (bucket: string, name: string): GcsError =>
  new GcsError(404, 'notFound', `No such object: ${bucket}/${name}`);
export const badRequest = (message: string): GcsError => new GcsError(400, 'invalid', message);

export const reply = (
  response: ServerResponse,
  {
    status,
    body,
    headers = {},
  }: { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> | undefined },
): void => {
  const text = body === undefined ? '' : JSON.stringify(body);
  response
    .writeHead(status, {
      ...(text !== '' && { 'content-type': 'application/json; charset=UTF-8' }),
      'content-length': Buffer.byteLength(text),
      ...headers,
    })
    .end(text);
};

export const refuse = (response: ServerResponse, { status, reason, message }: GcsError): void =>
  status === 304
    ? reply(response, { status, body: undefined })
    : reply(response, { status, body: { error: { code: status, message, errors: [{ message, domain: 'global', reason }] } } });
