import { HeadObjectCommand, type S3Client, type ServerSideEncryption } from '@aws-sdk/client-s3';
import { type PutOptions, StorageError } from '../object-store.ts';
import { type RetryPolicy, retryTransient } from '../retry-transient.ts';
import type { DigestKind, ObjectInfo } from './checksum.ts';
import { S3Connection, type S3ConnectionOptions } from './s3-connection.ts';
import { s3Error } from './s3-error.ts';
import type { S3SendOptions } from './s3-request-handler.ts';

export interface S3StoreOptions extends S3ConnectionOptions {
  readonly bucket: string;
  readonly folder: string;
  readonly digest: DigestKind;
  readonly lockMode?: 'GOVERNANCE' | 'COMPLIANCE' | undefined;
  /** The bucket's own default, unless given. */
  readonly encryption?: Encryption | undefined;
  readonly retryPolicy: RetryPolicy;
  /** 8 MiB, of which ten thousand make 78 GiB; at least 5 MiB, or the store takes them for the last. */
  readonly partBytes: number;
}

/** How the store is told to encrypt what it keeps. */
export interface Encryption {
  readonly algorithm: Extract<ServerSideEncryption, 'AES256' | 'aws:kms'>;
  readonly kmsKeyId?: string | undefined;
}

export interface S3Call<T> {
  /** Completes "The store did not …". */
  readonly doing: string;
  readonly signal?: AbortSignal | undefined;
  readonly maxBytes?: number;
  /** Sends the command and checks its answer; a StorageError that it throws counts as an outcome of the attempt. */
  readonly send: (client: S3Client, options: S3SendOptions) => Promise<T>;
}

/** A folder of a bucket, and how to ask the store for anything in it. */
export class S3Bucket {
  readonly options: S3StoreOptions;
  readonly #connection: S3Connection;

  constructor(place: S3StoreOptions) {
    this.options = place;
    this.#connection = new S3Connection(place);
  }

  key(name: string): string {
    return this.options.folder === '' ? name : `${this.options.folder}/${name}`;
  }

  /** What every new object asks for: its lock and its encryption. */
  objectSettings({ lockedUntil }: PutOptions): KeptSettings {
    const { lockMode, encryption } = this.options;
    return {
      ...(lockMode && lockedUntil && { ObjectLockMode: lockMode, ObjectLockRetainUntilDate: lockedUntil }),
      ...(encryption && { ServerSideEncryption: encryption.algorithm }),
      ...(encryption?.kmsKeyId !== undefined && { SSEKMSKeyId: encryption.kmsKeyId }),
    };
  }

  /** Throws if an object is encrypted in another way than was asked for, or the store does not say how. */
  checkEncryption(told: ObjectInfo): void {
    const { encryption } = this.options;
    if (!encryption) return;
    const refusal = (what: string): StorageError =>
      new StorageError('invalid', `The store did not encrypt the object with ${encryption.algorithm}: it ${what}.`);
    if (told.encryption === undefined) throw refusal('ignores the setting');
    if (told.encryption !== encryption.algorithm) throw refusal('used another algorithm');
    if (encryption.kmsKeyId !== undefined && told.kmsKeyId !== undefined && isOtherKey(encryption.kmsKeyId, told.kmsKeyId))
      throw refusal('used another key');
  }

  /** One call, retried while the store is unavailable; its failure is a StorageError. */
  call<T>(call: S3Call<T>): Promise<T> {
    return retryTransient(() => this.once(call), this.options.retryPolicy, call.signal);
  }

  /** The same, tried once, for callers that must look at the store before they try again. */
  async once<T>({ doing, signal, maxBytes, send }: S3Call<T>): Promise<T> {
    const limit = AbortSignal.timeout(this.options.retryPolicy.requestMs);
    const abortSignal = signal ? AbortSignal.any([signal, limit]) : limit;
    try {
      return await this.#connection.run((client) => send(client, { abortSignal, maxBytes }));
    } catch (error) {
      if (limit.aborted) throw new StorageError('unavailable', `The store did not ${doing} in time.`);
      throw s3Error(error, doing);
    }
  }

  /** What the store tells of an object, its checksum included; undefined where there is none. */
  async head(name: string, signal?: AbortSignal): Promise<(ObjectInfo & { readonly size: number }) | undefined> {
    const command = { Bucket: this.options.bucket, Key: this.key(name), ChecksumMode: 'ENABLED' } as const;
    try {
      return await this.call({
        doing: 'look at an object',
        signal,
        send: async (client, options) => {
          const told = await client.send(new HeadObjectCommand(command), options);
          return { ...objectInfo(told), size: told.ContentLength ?? 0 };
        },
      });
    } catch (error) {
      if (error instanceof StorageError && error.code === 'missing') return undefined;
      throw error;
    }
  }

  close(): void {
    this.#connection.close();
  }
}

interface KeptSettings {
  readonly ObjectLockMode?: 'GOVERNANCE' | 'COMPLIANCE';
  readonly ObjectLockRetainUntilDate?: Date;
  readonly ServerSideEncryption?: Encryption['algorithm'];
  readonly SSEKMSKeyId?: string;
}

/** What an answer tells of an object or a part. */
export const objectInfo = ({
  ETag,
  ChecksumCRC32,
  ServerSideEncryption,
  SSEKMSKeyId,
}: {
  readonly ETag?: string | undefined;
  readonly ChecksumCRC32?: string | undefined;
  readonly ServerSideEncryption?: string | undefined;
  readonly SSEKMSKeyId?: string | undefined;
}): ObjectInfo => ({ tag: ETag, crc32: ChecksumCRC32, encryption: ServerSideEncryption, kmsKeyId: SSEKMSKeyId });

/** A key is named by its id or its ARN, which ends with the id. An alias cannot be compared with the key it stands for. */
const isOtherKey = (asked: string, told: string): boolean =>
  !asked.includes('alias/') && asked.split('/').at(-1) !== told.split('/').at(-1);
