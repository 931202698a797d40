/** Buckets and objects on disk: metadata in an append-only log, bytes in one file per object. */
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { openAppendLog } from '../shared/append-log.ts';
import { crc32c, crc32cText } from './crc32c.ts';

export interface StoredObject {
  readonly bucket: string;
  readonly name: string;
  readonly size: number;
  readonly md5Hash: string;
  readonly crc32c: string;
  readonly contentType: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly retention?: Retention | undefined;
  readonly generation: string;
  /** Absent: 1. */
  readonly metageneration?: string;
  readonly timeCreated: string;
  /** Set on a noncurrent generation: when it was replaced or deleted. */
  readonly timeDeleted?: string;
  readonly file: string;
}

export interface Retention {
  readonly mode: 'Unlocked' | 'Locked';
  readonly retainUntilTime: string;
}

export interface Bucket {
  readonly name: string;
  readonly timeCreated: string;
  /** Objects may have a retention of their own. */
  readonly isRetaining?: boolean;
  /** Replaced and deleted objects are kept as noncurrent generations. */
  readonly isVersioned?: boolean;
}

/** The metadata a client sends with an object. */
export interface Given {
  readonly name?: string;
  readonly contentType?: string;
  readonly md5Hash?: string;
  readonly crc32c?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly retention?: Retention;
}

type Check = (current: StoredObject | undefined) => void;

/** An object being uploaded; invisible until it is kept. */
export interface Draft {
  readonly size: number;
  write(bytes: Buffer): Promise<void>;
  /** Undefined if a digest does not match. `check` gets the object to be replaced and may throw. */
  keep(bucket: string, given: Given & { readonly name: string }, check: Check): Promise<StoredObject | undefined>;
  drop(): Promise<void>;
}

interface ListOptions {
  readonly prefix?: string;
  /** The name to start after. */
  readonly after?: string;
  /** Also noncurrent generations. */
  readonly versions: boolean;
}

export interface ObjectFiles {
  readonly buckets: () => readonly Bucket[];
  bucket(name: string): Bucket | undefined;
  createBucket(name: string, settings: Pick<Bucket, 'isRetaining' | 'isVersioned'>): Bucket;
  removeBucket(name: string): void;
  /** The live object, or this generation of it. */
  object(bucket: string, name: string, generation?: string): StoredObject | undefined;
  /** Sorted by name; generations of one name, the oldest first. */
  list(bucket: string, options: ListOptions): readonly StoredObject[];
  read(object: StoredObject, from: number, to: number): Readable;
  /** Deletes the live object, which a versioned bucket keeps as noncurrent, or for good this generation. */
  remove(object: StoredObject, options?: { readonly isForGood: boolean }): void;
  /** Replaces the metadata of a stored object. */
  describe(object: StoredObject): StoredObject;
  draft(): Promise<Draft>;
}

export const openObjectFiles = (dir: string): ObjectFiles => {
  const bytesDir = join(dir, 'bytes');
  mkdirSync(bytesDir, { recursive: true, mode: 0o700 });
  const buckets = openAppendLog<Bucket>(join(dir, 'buckets.jsonl'));
  const objects = openAppendLog<StoredObject>(join(dir, 'objects.jsonl'));
  const keyOf = (bucket: string, name: string): string => `${bucket}/${name}`;
  const noncurrent = openAppendLog<StoredObject>(join(dir, 'noncurrent.jsonl'));
  const generationKey = ({ bucket, name, generation }: StoredObject): string => `${keyOf(bucket, name)}#${generation}`;
  let lastGeneration = 0;

  /** Of a live object that was replaced or deleted. */
  const release = (object: StoredObject, isForGood: boolean): void => {
    if (buckets.get(object.bucket)?.isVersioned && !isForGood)
      noncurrent.set(generationKey(object), { ...object, timeDeleted: new Date().toISOString() });
    else rmSync(join(bytesDir, object.file), { force: true });
  };

  const remove = (object: StoredObject, { isForGood } = { isForGood: false }): void => {
    if (object.timeDeleted !== undefined) noncurrent.remove(generationKey(object));
    else objects.remove(keyOf(object.bucket, object.name));
    release(object, isForGood);
  };

  const store = (object: StoredObject): StoredObject => {
    const before = objects.get(keyOf(object.bucket, object.name));
    objects.set(keyOf(object.bucket, object.name), object);
    if (before) release(before, false);
    return object;
  };

  return {
    buckets: buckets.values,
    bucket: buckets.get,
    createBucket: (name, settings) => {
      const bucket = { timeCreated: new Date().toISOString(), ...buckets.get(name), name, ...settings };
      buckets.set(name, bucket);
      return bucket;
    },
    removeBucket: buckets.remove,
    object: (bucket, name, generation) => {
      const live = objects.get(keyOf(bucket, name));
      return generation === undefined || live?.generation === generation
        ? live
        : noncurrent.get(`${keyOf(bucket, name)}#${generation}`);
    },
    list: (bucket, { prefix = '', after = '', versions }) =>
      [...objects.values(), ...(versions ? noncurrent.values() : [])]
        .filter((object) => object.bucket === bucket && object.name.startsWith(prefix) && object.name > after)
        .sort((a, b) => (a.name === b.name ? Number(a.generation) - Number(b.generation) : a.name < b.name ? -1 : 1)),
    read: ({ file }, from, to) => createReadStream(join(bytesDir, file), { start: from, end: to }),
    remove,
    describe: (object) => {
      if (object.timeDeleted === undefined) objects.set(keyOf(object.bucket, object.name), object);
      else noncurrent.set(generationKey(object), object);
      return object;
    },
    draft: async () => {
      const file = randomUUID();
      const handle = await open(join(bytesDir, file), 'wx', 0o600);
      return draftInto(handle, {
        keep: (bucket, described, check) => {
          const { name, contentType = 'application/octet-stream', metadata, retention, size, md5Hash, crc32c } = described;
          check(objects.get(keyOf(bucket, name)));
          const now = new Date();
          lastGeneration = Math.max(lastGeneration + 1, now.getTime() * 1_000);
          const generation = String(lastGeneration);
          return store({
            bucket,
            name,
            size,
            md5Hash,
            crc32c,
            contentType,
            metadata,
            retention,
            generation,
            timeCreated: now.toISOString(),
            file,
          });
        },
        drop: () => rmSync(join(bytesDir, file), { force: true }),
      });
    },
  };
};

type Digests = Pick<StoredObject, 'size' | 'md5Hash' | 'crc32c'>;

const draftInto = (
  handle: FileHandle,
  end: {
    keep(bucket: string, described: Given & { readonly name: string } & Digests, check: Check): StoredObject;
    drop(): void;
  },
): Draft => {
  const md5: Hash = createHash('md5');
  let crc = 0;
  let size = 0;
  const drop = async (): Promise<void> => {
    await handle.close();
    end.drop();
  };
  return {
    get size() {
      return size;
    },
    write: async (bytes) => {
      md5.update(bytes);
      crc = crc32c(bytes, crc);
      await handle.writeFile(bytes);
      size += bytes.length;
    },
    keep: async (bucket, given, check) => {
      const digests = { size, md5Hash: md5.digest('base64'), crc32c: crc32cText(crc) };
      if ((given.md5Hash ?? digests.md5Hash) !== digests.md5Hash || (given.crc32c ?? digests.crc32c) !== digests.crc32c) {
        await drop();
        return undefined;
      }
      await handle.close();
      try {
        return end.keep(bucket, { ...given, ...digests }, check);
      } catch (error) {
        end.drop();
        throw error;
      }
    },
    drop,
  };
};
