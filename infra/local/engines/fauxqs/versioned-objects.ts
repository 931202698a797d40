/**
 * Buckets with Object Lock in front of fauxqs, which has no versions. The current version of an object is stored under its key, the
 * others under hidden keys of the same bucket.
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
  type BucketVersions,
  isLocked,
  mayDelete,
  mayRetain,
  newVersionId,
  type Retention,
  type Version,
} from './bucket-versions.ts';
import { S3Refusal } from './s3-xml.ts';

export type Upstream = (call: {
  readonly method: string;
  readonly path: string;
  readonly headers?: IncomingHttpHeaders;
  readonly body?: Buffer;
}) => Promise<{
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}>;

/** Keys with this prefix are never listed. */
export const hiddenPrefix = '~versions~/';

interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}

export const pathOf = (bucket: string, key: string): string => `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
const hiddenKey = (key: string, { id }: Version): string => `${hiddenPrefix}${key}/${id}`;

interface RetentionChange {
  readonly versionId: string | undefined;
  readonly next: Retention | undefined;
  readonly isBypassed: boolean;
}

/** Changes to the versions of objects, one after the other for each object. */
export class VersionedObjects {
  readonly #versions: BucketVersions;
  readonly #ask: Upstream;
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(versions: BucketVersions, ask: Upstream) {
    this.#versions = versions;
    this.#ask = ask;
  }

  /** Stores a new current version with `store`, which answers as fauxqs did. The one before stays under a hidden key. */
  add<T extends { readonly status: number; readonly headers: IncomingHttpHeaders }>(
    name: ObjectName,
    retention: Retention | undefined,
    store: () => Promise<T>,
  ): Promise<{ readonly answer: T; readonly version: Version | undefined }> {
    return this.#serialize(name, async () => {
      const before = await this.#known(name);
      const hidden = await this.#hideCurrent(name, before);
      const answer = await store();
      if (answer.status !== 200) {
        if (hidden) await this.#rename(name.bucket, hiddenKey(name.key, hidden), name.key);
        return { answer, version: undefined };
      }
      const stored = await this.#ask({ method: 'HEAD', path: pathOf(name.bucket, name.key) });
      const version: Version = {
        id: newVersionId(),
        modified: new Date().toISOString(),
        size: Number(stored.headers['content-length']),
        etag: String(stored.headers.etag),
        retention,
      };
      this.#save(name, [version, ...before]);
      return { answer, version };
    });
  }

  /** Without a version id the object is hidden by a delete marker. */
  remove(name: ObjectName, versionId: string | undefined, isBypassed: boolean): Promise<Version | undefined> {
    return this.#serialize(name, async () => {
      const versions = await this.#known(name);
      if (versionId === undefined) {
        await this.#hideCurrent(name, versions);
        if (this.#expiresNoncurrent(name) && !versions.some((one) => isLocked(one))) {
          await this.#ask({ method: 'DELETE', path: pathOf(name.bucket, name.key) });
          this.#versions.set(name.bucket, name.key, []);
          return undefined;
        }
        const marker: Version = { id: newVersionId(), modified: new Date().toISOString(), isMarker: true };
        this.#save(name, [marker, ...versions]);
        return marker;
      }
      const found = versions.find(({ id }) => id === versionId);
      if (!found) return undefined;
      if (!mayDelete(found, isBypassed))
        throw new S3Refusal(403, 'AccessDenied', 'Access Denied because object protected by object lock.');
      const isCurrent = versions[0] === found;
      if (!found.isMarker)
        await this.#ask({ method: 'DELETE', path: pathOf(name.bucket, isCurrent ? name.key : hiddenKey(name.key, found)) });
      const rest = versions.filter((one) => one !== found);
      const [next] = rest;
      if (isCurrent && next && !next.isMarker) await this.#rename(name.bucket, hiddenKey(name.key, next), name.key);
      this.#versions.set(name.bucket, name.key, rest);
      return found;
    });
  }

  retain(name: ObjectName, { versionId, next, isBypassed }: RetentionChange): Promise<void> {
    return this.#serialize(name, async () => {
      const versions = await this.#known(name);
      const found = await this.find(name, versionId);
      if (next && Date.parse(next.until) <= Date.now())
        throw new S3Refusal(400, 'InvalidArgument', 'The retain until date must be in the future!');
      if (!mayRetain(found, next, isBypassed))
        throw new S3Refusal(403, 'AccessDenied', 'Access Denied because object protected by object lock.');
      const changed = versions.map((one) => (one.id === found.id ? { ...one, retention: next } : one));
      this.#versions.set(name.bucket, name.key, changed);
    });
  }

  /** The version with this id, or the current one. A delete marker is refused as AWS does. */
  async find(name: ObjectName, versionId: string | undefined): Promise<Version> {
    const versions = await this.#known(name);
    const found = versionId === undefined ? versions[0] : versions.find(({ id }) => id === versionId);
    if (!found) {
      const code = versionId === undefined ? 'NoSuchKey' : 'NoSuchVersion';
      throw new S3Refusal(404, code, 'The specified object or version does not exist.');
    }
    if (!found.isMarker) return found;
    const headers = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': found.id };
    if (versionId === undefined) throw new S3Refusal(404, 'NoSuchKey', 'The specified key does not exist.', headers);
    throw new S3Refusal(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.', headers);
  }

  /** Where fauxqs has the bytes of a version. */
  pathOf({ bucket, key }: ObjectName, version: Version): string {
    const [current = version] = this.#versions.of(bucket, key);
    return pathOf(bucket, current.id === version.id ? key : hiddenKey(key, version));
  }

  /** An object from before the bucket had versions is the version `null`. */
  async #known({ bucket, key }: ObjectName): Promise<readonly Version[]> {
    const versions = this.#versions.of(bucket, key);
    if (versions.length > 0) return versions;
    const { status, headers } = await this.#ask({ method: 'HEAD', path: pathOf(bucket, key) });
    if (status !== 200) return [];
    const modified = new Date(headers['last-modified'] ?? 0).toISOString();
    return [{ id: 'null', modified, size: Number(headers['content-length']), etag: String(headers.etag) }];
  }

  /** Moves the bytes of the current version out of the way, unless they expire. Returns what was moved. */
  async #hideCurrent(name: ObjectName, [current]: readonly Version[]): Promise<Version | undefined> {
    if (!current || current.isMarker || (this.#expiresNoncurrent(name) && !isLocked(current))) return undefined;
    await this.#rename(name.bucket, name.key, hiddenKey(name.key, current));
    return current;
  }

  #save(name: ObjectName, versions: readonly Version[]): void {
    const [current, ...others] = versions;
    if (!current) return;
    const kept = this.#expiresNoncurrent(name) ? others.filter((one) => isLocked(one)) : others;
    this.#versions.set(name.bucket, name.key, [current, ...kept]);
  }

  #expiresNoncurrent({ bucket }: ObjectName): boolean {
    return this.#versions.bucket(bucket)?.expiresNoncurrent === true;
  }

  async #rename(bucket: string, from: string, to: string): Promise<void> {
    const headers = { 'x-amz-rename-source': encodeURIComponent(from) };
    const { status, body } = await this.#ask({ method: 'PUT', path: `${pathOf(bucket, to)}?renameObject`, headers });
    if (status === 200) return;
    // fauxqs renames in directory buckets only; buckets of earlier versions are none.
    const source = { 'x-amz-copy-source': encodeURIComponent(`${bucket}/${from}`) };
    const copied = await this.#ask({ method: 'PUT', path: pathOf(bucket, to), headers: source });
    if (copied.status !== 200) throw new Error(`${from} was not moved: ${body} ${copied.body}`);
    await this.#ask({ method: 'DELETE', path: pathOf(bucket, from) });
  }

  #serialize<T>({ bucket, key }: ObjectName, work: () => Promise<T>): Promise<T> {
    const id = `${bucket}/${key}`;
    const done = (this.#queues.get(id) ?? Promise.resolve()).then(work, work);
    const settled: Promise<void> = done.then(
      () => this.#forget(id, settled),
      () => this.#forget(id, settled),
    );
    this.#queues.set(id, settled);
    return done;
  }

  #forget(id: string, settled: Promise<void>): void {
    if (this.#queues.get(id) === settled) this.#queues.delete(id);
  }
}
