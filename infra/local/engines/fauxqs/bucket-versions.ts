/** Versions of objects in buckets with Object Lock, and what their retention allows, as in AWS. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openAppendLog } from '../shared/append-log.ts';

export interface Retention {
  readonly mode: 'GOVERNANCE' | 'COMPLIANCE';
  readonly until: string;
}

export interface Version {
  readonly id: string;
  readonly modified: string;
  /** A delete marker has neither bytes nor retention. */
  readonly isMarker?: true;
  readonly size?: number;
  readonly etag?: string;
  readonly retention?: Retention | undefined;
}

interface Bucket {
  readonly name: string;
  /** A lifecycle rule expires noncurrent versions without a lock at once. */
  readonly expiresNoncurrent: boolean;
}

interface Entry {
  readonly bucket: string;
  readonly key: string;
  /** Newest first. */
  readonly versions: readonly Version[];
}

export interface BucketVersions {
  bucket(name: string): Bucket | undefined;
  enable(bucket: Bucket): void;
  /** Newest first; empty if nothing is known of the object. */
  of(bucket: string, key: string): readonly Version[];
  set(bucket: string, key: string, versions: readonly Version[]): void;
  /** Sorted by key. */
  list(bucket: string, prefix: string): readonly Entry[];
}

export const openBucketVersions = (dir: string): BucketVersions => {
  const buckets = openAppendLog<Bucket>(join(dir, '_versions', 'buckets.jsonl'));
  const objects = openAppendLog<Entry>(join(dir, '_versions', 'objects.jsonl'));
  const nameOf = (bucket: string, key: string): string => `${bucket}/${key}`;
  return {
    bucket: buckets.get,
    enable: (bucket) => {
      if (!buckets.get(bucket.name)) buckets.set(bucket.name, bucket);
    },
    of: (bucket, key) => objects.get(nameOf(bucket, key))?.versions ?? [],
    set: (bucket, key, versions) => {
      if (versions.length === 0) objects.remove(nameOf(bucket, key));
      else objects.set(nameOf(bucket, key), { bucket, key, versions });
    },
    list: (bucket, prefix) =>
      objects
        .values()
        .filter((entry) => entry.bucket === bucket && entry.key.startsWith(prefix))
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
};

export const newVersionId = (): string => randomBytes(24).toString('base64url');

export const isLocked = ({ retention }: Version, now = Date.now()): boolean =>
  retention !== undefined && Date.parse(retention.until) > now;

/** Only governance can be bypassed, by a caller who asks for it and may. */
export const mayDelete = (version: Version, isBypassed: boolean): boolean =>
  !isLocked(version) || (version.retention?.mode === 'GOVERNANCE' && isBypassed);

/** A lock may always be extended, and governance may become compliance. Anything less needs the bypass. */
export const mayRetain = (version: Version, next: Retention | undefined, isBypassed: boolean): boolean => {
  const { retention } = version;
  if (!retention || !isLocked(version)) return true;
  const isExtended = next !== undefined && Date.parse(next.until) >= Date.parse(retention.until);
  if (retention.mode === 'COMPLIANCE') return isExtended && next.mode === 'COMPLIANCE';
  return isExtended || isBypassed;
};
