/** XML of S3 requests and responses. */
import type { ServerResponse } from 'node:http';
import type { BucketVersions, Retention, Version } from './bucket-versions.ts';

/** An error response of S3. */
export class S3Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export const refuse = (response: ServerResponse, { status, code, message, headers }: S3Refusal, isHead = false): void =>
  isHead
    ? void response.writeHead(status, headers).end()
    : xml(response, { status, body: `<Error><Code>${code}</Code><Message>${escaped(message)}</Message></Error>`, headers });

export const xml = (
  response: ServerResponse,
  {
    status,
    body,
    headers = {},
  }: { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> | undefined },
): void => {
  response
    .writeHead(status, { 'content-type': 'application/xml', ...headers })
    .end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
};

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character] ?? character);

const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos|#(\d+));/g, (_, name: string, code?: string) =>
    code === undefined ? ({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }[name] ?? '') : String.fromCodePoint(Number(code)),
  );

const elementOf = (name: string, text: string): string | undefined => {
  const found = new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1];
  return found === undefined ? undefined : unescaped(found);
};

const namespace = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';

/** Undefined if the request removes the retention. */
export const readRetention = (body: Buffer): Retention | undefined => {
  const text = body.toString();
  const [mode, until] = [elementOf('Mode', text), elementOf('RetainUntilDate', text)];
  return mode === undefined && until === undefined ? undefined : parseRetention(mode, until);
};

/** Of headers or a body. Throws unless both parts are there and valid. */
export const parseRetention = (mode: unknown, until: unknown): Retention => {
  const isValid = (mode === 'GOVERNANCE' || mode === 'COMPLIANCE') && !Number.isNaN(Date.parse(String(until)));
  if (!isValid) throw new S3Refusal(400, 'InvalidArgument', 'Retention needs a mode and a date.');
  return { mode, until: new Date(String(until)).toISOString() };
};

export const retentionXml = ({ mode, until }: Retention): string =>
  `<Retention ${namespace}><Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`;

export const versioningXml = `<VersioningConfiguration ${namespace}><Status>Enabled</Status></VersioningConfiguration>`;
export const objectLockXml = `<ObjectLockConfiguration ${namespace}><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>`;

export interface DeletedObject {
  readonly key: string;
  readonly versionId: string | undefined;
}

export const readDelete = (body: Buffer): readonly DeletedObject[] =>
  [...body.toString().matchAll(/<Object>([\s\S]*?)<\/Object>/g)].map(([, object = '']) => ({
    key: elementOf('Key', object) ?? '',
    versionId: elementOf('VersionId', object),
  }));

export const deleteResultXml = (
  results: readonly (DeletedObject & { readonly code?: string; readonly marker?: string })[],
): string => {
  const lines = results.map(({ key, versionId, code, marker }) => {
    const version = versionId === undefined ? '' : `<VersionId>${escaped(versionId)}</VersionId>`;
    const name = `<Key>${escaped(key)}</Key>${version}`;
    if (code !== undefined) return `<Error>${name}<Code>${code}</Code><Message>Access Denied</Message></Error>`;
    const hidden =
      marker === undefined ? '' : `<DeleteMarker>true</DeleteMarker><DeleteMarkerVersionId>${marker}</DeleteMarkerVersionId>`;
    return `<Deleted>${name}${hidden}</Deleted>`;
  });
  return `<DeleteResult ${namespace}>${lines.join('')}</DeleteResult>`;
};

interface VersionPage {
  readonly bucket: string;
  readonly prefix: string;
  readonly after: { readonly key: string; readonly versionId: string };
  readonly limit: number;
}

/** A page of ListObjectVersions: by key, and newest first. */
export const versionsXml = (versions: BucketVersions, { bucket, prefix, after, limit }: VersionPage): string => {
  const all = versions
    .list(bucket, prefix)
    .flatMap(({ key, versions: found }) => found.map((version, n) => ({ key, version, isLatest: n === 0 })));
  const from =
    after.key === ''
      ? 0
      : after.versionId === ''
        ? all.findIndex(({ key }) => key > after.key)
        : all.findIndex(({ key, version }) => key === after.key && version.id === after.versionId) + 1;
  const page = from < 0 ? [] : all.slice(from, from + limit);
  const isTruncated = from >= 0 && from + limit < all.length;
  const last = page.at(-1);
  const next =
    isTruncated && last
      ? `<NextKeyMarker>${escaped(last.key)}</NextKeyMarker><NextVersionIdMarker>${last.version.id}</NextVersionIdMarker>`
      : '';
  return `<ListVersionsResult ${namespace}><Name>${bucket}</Name><Prefix>${escaped(prefix)}</Prefix><MaxKeys>${limit}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>${next}${page.map(versionXml).join('')}</ListVersionsResult>`;
};

const versionXml = ({ key, version, isLatest }: { key: string; version: Version; isLatest: boolean }): string => {
  const { id, modified, isMarker, size = 0, etag = '' } = version;
  const common = `<Key>${escaped(key)}</Key><VersionId>${id}</VersionId><IsLatest>${isLatest}</IsLatest><LastModified>${modified}</LastModified>`;
  return isMarker
    ? `<DeleteMarker>${common}</DeleteMarker>`
    : `<Version>${common}<ETag>${escaped(etag)}</ETag><Size>${size}</Size><StorageClass>STANDARD</StorageClass></Version>`;
};
