/** The three kinds of upload: simple, multipart and resumable. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest, GcsError, objectResource, reply } from './gcs-resources.ts';
import type { Draft, Given, ObjectFiles, StoredObject } from './object-files.ts';
import { assertReplaceable, readRetention } from './object-retention.ts';
import { check, type Precondition, preconditionOf } from './precondition.ts';

interface Session {
  readonly bucket: string;
  readonly given: Given & { readonly name: string };
  readonly precondition: Precondition;
  readonly draft: Draft;
  object?: StoredObject;
  /** Settles after the session's latest request: requests of a session run one by one. */
  queue?: Promise<unknown>;
}

interface Target {
  readonly url: URL;
  readonly bucket: string;
  /** Throws if the caller lacks a permission on the bucket. */
  readonly permit: (permission: string) => void;
}

interface Uploads {
  /** Handles a call to an upload URL: starts an upload, or continues or ends a session by its id. */
  take(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void>;
}

/** All chunks except the last must be a multiple of this. */
const quantumBytes = 262_144;
const descriptionMaxBytes = 1 << 20;
export const retentionPermission = 'storage.objects.setRetention';

export const makeUploads = (files: ObjectFiles): Uploads => {
  const sessions = new Map<string, Session>();
  const endedSessions = new Set<string>();

  const kept = async (
    response: ServerResponse,
    url: URL,
    { draft, bucket, given, precondition }: Session,
  ): Promise<StoredObject> => {
    const object = await draft.keep(bucket, given, (current) => {
      check(precondition, current);
      if (current) assertReplaceable(current, files.bucket(bucket)?.isVersioned === true);
      readRetention(files.bucket(bucket), given.retention);
    });
    if (!object) throw badRequest('Provided hash does not match calculated hash.');
    reply(response, { status: 200, body: objectResource(object, url.origin) });
    return object;
  };

  const takeWhole = async (
    response: ServerResponse,
    {
      url,
      described,
      bytes,
    }: {
      readonly url: URL;
      readonly described: Pick<Session, 'bucket' | 'given' | 'precondition'>;
      readonly bytes: AsyncIterable<Buffer> | Iterable<Buffer>;
    },
  ): Promise<void> => {
    const draft = await files.draft();
    try {
      for await (const part of bytes) await draft.write(part);
    } catch (error) {
      await draft.drop();
      throw error;
    }
    await kept(response, url, { ...described, draft });
  };

  const begin = async (request: IncomingMessage, response: ServerResponse, { url, bucket, permit }: Target): Promise<void> => {
    const description = JSON.parse((await bodyOf(request, descriptionMaxBytes)).toString() || '{}') as Given;
    if (description.retention) permit(retentionPermission);
    const contentType = description.contentType ?? request.headers['x-upload-content-type'];
    const given = nameOf({ ...description, ...(typeof contentType === 'string' && { contentType }) }, url);
    const precondition = preconditionOf(url);
    check(precondition, files.object(bucket, given.name));
    const id = randomUUID();
    sessions.set(id, { bucket, given, precondition, draft: await files.draft() });
    const location = `${url.origin}${url.pathname}?uploadType=resumable&upload_id=${id}`;
    reply(response, { status: 200, body: undefined, headers: { location, 'x-guploader-uploadid': id } });
  };

  const takePart = async (
    request: IncomingMessage,
    { response, url, id }: { readonly response: ServerResponse; readonly url: URL; readonly id: string },
  ): Promise<void> => {
    const session = sessionOf(id);
    if (session.object) return reply(response, { status: 200, body: objectResource(session.object, url.origin) });
    const { draft } = session;
    const range = rangeOf(request.headers['content-range'] ?? 'bytes 0-*/*');
    if (range.first > draft.size)
      throw new GcsError(503, 'backendError', 'Invalid request. The offset is beyond the bytes received so far.');
    if (!range.isToTheEnd && range.total === undefined && range.length % quantumBytes !== 0)
      throw badRequest('A chunk must be a multiple of 256 KiB.');
    // Skips bytes that were already received.
    let skip = draft.size - range.first;
    for await (const part of request as AsyncIterable<Buffer>) {
      if (part.length > skip) await draft.write(part.subarray(skip));
      skip = Math.max(0, skip - part.length);
    }
    if (range.isToTheEnd || draft.size === range.total) {
      const given = { ...session.given, ...digestsOf(request) };
      session.object = await kept(response, url, { ...session, given }).catch((error: unknown) => {
        end(id);
        throw error;
      });
    } else
      reply(response, { status: 308, body: undefined, headers: draft.size > 0 ? { range: `bytes=0-${draft.size - 1}` } : {} });
  };

  const sessionOf = (id: string): Session => {
    if (endedSessions.has(id)) throw new GcsError(410, 'gone', 'The upload session has ended.');
    const session = sessions.get(id);
    if (!session) throw new GcsError(404, 'notFound', 'No such upload.');
    return session;
  };

  const end = (id: string): void => {
    sessions.delete(id);
    endedSessions.add(id);
  };

  const goOn = async (
    request: IncomingMessage,
    { response, url, id }: { readonly response: ServerResponse; readonly url: URL; readonly id: string },
  ): Promise<void> => {
    if (request.method !== 'DELETE') {
      const waiting = sessionOf(id);
      const served = (waiting.queue ?? Promise.resolve()).then(() => takePart(request, { response, url, id }));
      waiting.queue = served.catch(() => {});
      return served;
    }
    const session = sessionOf(id);
    end(id);
    // A completed upload cannot be cancelled.
    if (session.object) throw new GcsError(404, 'notFound', 'No such upload.');
    await session.draft.drop();
    reply(response, { status: 499, body: undefined });
  };

  return {
    take: async (request, response, target) => {
      const { url, bucket, permit } = target;
      const { searchParams: query } = url;
      const id = query.get('upload_id');
      if (id !== null) return goOn(request, { response, url, id });
      const { 'content-type': contentType = '' } = request.headers;
      const describedBy = (given: Given) => ({
        bucket,
        given: nameOf({ ...given, ...digestsOf(request) }, url),
        precondition: preconditionOf(url),
      });
      if (query.get('uploadType') === 'resumable') return begin(request, response, target);
      if (query.get('uploadType') !== 'multipart')
        return takeWhole(response, { url, described: describedBy({ contentType }), bytes: request as AsyncIterable<Buffer> });
      const { given, bytes } = split(await bodyOf(request, Number.POSITIVE_INFINITY), contentType);
      if (given.retention) permit(retentionPermission);
      await takeWhole(response, { url, described: describedBy(given), bytes: [bytes] });
    },
  };
};

/** The header `x-goog-hash: crc32c=…,md5=…`. */
const digestsOf = ({ headers }: IncomingMessage): Pick<Given, 'crc32c' | 'md5Hash'> => {
  const text = String(headers['x-goog-hash'] ?? '');
  const [, crc32c] = /(?:^|,)\s*crc32c=([^,\s]+)/.exec(text) ?? [];
  const [, md5Hash] = /(?:^|,)\s*md5=([^,\s]+)/.exec(text) ?? [];
  return { ...(crc32c !== undefined && { crc32c }), ...(md5Hash !== undefined && { md5Hash }) };
};

interface ContentRange {
  readonly first: number;
  readonly length: number;
  readonly total: number | undefined;
  /** The rest of the object, of unknown length. */
  readonly isToTheEnd: boolean;
}

/** `bytes 0-99/*`, `bytes 100-199/200`, `bytes 0-*\/*` for everything at once, or `bytes *\/200`, which asks for the progress. */
const rangeOf = (header: string): ContentRange => {
  const range = /^bytes (?:(\d+)-(\d+|\*)|\*)\/(\d+|\*)$/.exec(header);
  if (!range) throw badRequest('Failed to parse Content-Range header.');
  const [, first, last, total] = range;
  return {
    first: Number(first ?? 0),
    length: first === undefined || last === '*' ? 0 : Number(last) - Number(first) + 1,
    total: total === '*' ? undefined : Number(total),
    isToTheEnd: last === '*',
  };
};

const nameOf = (given: Given, { searchParams }: URL): Given & { readonly name: string } => {
  const name = given.name ?? searchParams.get('name');
  if (!name) throw badRequest('Required');
  return { ...given, name };
};

export const bodyOf = async (request: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw new GcsError(413, 'uploadTooLarge', 'The request is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts);
};

/** Splits multipart/related: JSON first, then the bytes. */
const split = (body: Buffer, contentType: string): { given: Given; bytes: Buffer } => {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType)?.slice(1).find(Boolean);
  if (boundary === undefined) throw badRequest('No boundary.');
  const mark = Buffer.from(`--${boundary}`);
  const at = (from: number): number => {
    const found = body.indexOf(mark, from);
    if (found < 0) throw badRequest('A part is missing.');
    return found;
  };
  const first = at(0);
  const second = at(first + mark.length);
  // The bytes may contain the boundary, so the end is searched backwards.
  const end = body.lastIndexOf(mark);
  const contentOf = (from: number, to: number): { headers: string; content: Buffer } => {
    const part = body.subarray(from + mark.length, to);
    const gap = part.indexOf('\r\n\r\n');
    return { headers: part.subarray(0, gap).toString(), content: part.subarray(gap + 4, part.length - 2) };
  };
  const media = contentOf(second, end);
  const type = /content-type:\s*([^\r\n]+)/i.exec(media.headers)?.[1];
  const described = JSON.parse(contentOf(first, second).content.toString() || '{}') as Given;
  return { given: { ...(type && { contentType: type }), ...described }, bytes: media.content };
};
