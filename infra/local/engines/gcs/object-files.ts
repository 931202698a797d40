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
  readonly generation: string;
  readonly timeCreated: string;
  readonly file: string;
}

/** Object metadata cannot be changed here. */
export const metageneration = '1';

export interface Bucket {
  readonly name: string;
  readonly timeCreated: string;
}

/** The metadata a client sends with an object. */
export interface Given {
  readonly name?: string;
  readonly contentType?: string;
  readonly md5Hash?: string;
  readonly crc32c?: string;
  readonly metadata?: Readonly<Record<string, string>>;
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

export interface ObjectFiles {
  readonly buckets: () => readonly Bucket[];
  bucket(name: string): Bucket | undefined;
  createBucket(name: string): Bucket;
  removeBucket(name: string): void;
  object(bucket: string, name: string): StoredObject | undefined;
  /** Sorted by name, starting after the given name. */
  list(bucket: string, prefix: string, after: string): readonly StoredObject[];
  read(object: StoredObject, from: number, to: number): Readable;
  remove(object: StoredObject): void;
  draft(): Promise<Draft>;
}

export const openObjectFiles = (dir: string): ObjectFiles => {
  const bytesDir = join(dir, 'bytes');
  mkdirSync(bytesDir, { recursive: true, mode: 0o700 });
  const buckets = openAppendLog<Bucket>(join(dir, 'buckets.jsonl'));
  const objects = openAppendLog<StoredObject>(join(dir, 'objects.jsonl'));
  const keyOf = (bucket: string, name: string): string => `${bucket}/${name}`;
  let lastGeneration = 0;

  const remove = (object: StoredObject): void => {
    objects.remove(keyOf(object.bucket, object.name));
    rmSync(join(bytesDir, object.file), { force: true });
  };

  const store = (object: StoredObject): StoredObject => {
    const before = objects.get(keyOf(object.bucket, object.name));
    objects.set(keyOf(object.bucket, object.name), object);
    if (before) rmSync(join(bytesDir, before.file), { force: true });
    return object;
  };

  return {
    buckets: buckets.values,
    bucket: buckets.get,
    createBucket: (name) => {
      const bucket = buckets.get(name) ?? { name, timeCreated: new Date().toISOString() };
      buckets.set(name, bucket);
      return bucket;
    },
    removeBucket: buckets.remove,
    object: (bucket, name) => objects.get(keyOf(bucket, name)),
    list: (bucket, prefix, after) =>
      objects
        .values()
        .filter((object) => object.bucket === bucket && object.name.startsWith(prefix) && object.name > after)
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    read: ({ file }, from, to) => createReadStream(join(bytesDir, file), { start: from, end: to }),
    remove,
    draft: async () => {
      const file = randomUUID();
      const handle = await open(join(bytesDir, file), 'wx', 0o600);
      return draftInto(handle, {
        keep: (digests, bucket, { name, contentType = 'application/octet-stream', metadata }, check) => {
          check(objects.get(keyOf(bucket, name)));
          const now = new Date();
          lastGeneration = Math.max(lastGeneration + 1, now.getTime() * 1_000);
          const generation = String(lastGeneration);
          return store({ bucket, name, ...digests, contentType, metadata, generation, timeCreated: now.toISOString(), file });
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
    keep(digests: Digests, bucket: string, given: Given & { readonly name: string }, check: Check): StoredObject;
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
        return end.keep(digests, bucket, given, check);
      } catch (error) {
        end.drop();
        throw error;
      }
    },
    drop,
  };
};
