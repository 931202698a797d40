import type { HeadObjectCommandOutput, S3Client, ServerSideEncryption } from '@aws-sdk/client-s3';
import { type PutOptions, StorageError, wholeSecond } from '../object-store.ts';
import { retryTransient, type StoreRetryPolicy } from '../retry-transient.ts';
import type { DigestKind, ObjectInfo } from './checksum.ts';
import { S3Connection, type S3ConnectionOptions } from './s3-connection.ts';
import { isHiddenByMarker, s3Error } from './s3-error.ts';
import { HeadObjectCommand } from './s3-library.ts';
import type { S3SendOptions } from './s3-request-handler.ts';

export interface S3StoreOptions extends S3ConnectionOptions {
  readonly bucket: string;
  readonly folder: string;
  readonly digest: DigestKind;
  readonly lockMode?: 'GOVERNANCE' | 'COMPLIANCE' | undefined;
  /** Whether versions below the newest are searched for what was stored. Default: if the destination has object lock. */
  readonly readsVersions?: boolean | undefined;
  /** Default: that of the bucket. */
  readonly encryption?: Encryption | undefined;
  readonly retryPolicy: StoreRetryPolicy;
  /** At least 5 MiB, as S3 requires for all parts except the last. 8 MiB allow objects of 78 GiB. */
  readonly partBytes: number;
}

/** Server-side encryption of new objects. */
interface Encryption {
  readonly algorithm: Extract<ServerSideEncryption, 'AES256' | 'aws:kms'>;
  readonly kmsKeyId?: string | undefined;
}

interface S3Call<T> {
  /** Completes "The store did not …". */
  readonly doing: string;
  readonly signal?: AbortSignal | undefined;
  readonly maxBytes?: number;
  /** Sends the command and checks the response. A StorageError it throws is the outcome of the attempt. */
  readonly send: (client: S3Client, options: S3SendOptions) => Promise<T>;
}

/** A folder of a bucket, and the calls for objects in it. */
export class S3Bucket {
  readonly options: S3StoreOptions;
  readonly #connection: S3Connection;

  constructor(options: S3StoreOptions) {
    this.options = options;
    this.#connection = new S3Connection(options);
  }

  key(name: string): string {
    return this.options.folder === '' ? name : `${this.options.folder}/${name}`;
  }

  /** Lock and encryption of a new object. */
  objectSettings({ lockedUntil }: PutOptions) {
    const { lockMode, encryption } = this.options;
    return {
      ...(lockMode && lockedUntil && { ObjectLockMode: lockMode, ObjectLockRetainUntilDate: wholeSecond(lockedUntil) }),
      ...(encryption && { ServerSideEncryption: encryption.algorithm }),
      ...(encryption?.kmsKeyId !== undefined && { SSEKMSKeyId: encryption.kmsKeyId }),
    };
  }

  /** Throws unless the store says that it encrypted the object as configured. */
  checkEncryption(info: ObjectInfo): void {
    const { encryption } = this.options;
    if (!encryption) return;
    const refusal = (reason: string): StorageError =>
      new StorageError('invalid', `The store did not encrypt the object with ${encryption.algorithm}: it ${reason}.`);
    if (info.encryption === undefined) throw refusal('ignores the setting');
    if (info.encryption !== encryption.algorithm) throw refusal('used another algorithm');
    if (encryption.kmsKeyId !== undefined && info.kmsKeyId !== undefined && isOtherKey(encryption.kmsKeyId, info.kmsKeyId))
      throw refusal('used another key');
  }

  /** Sends a call and retries it while the store is unavailable. Throws a StorageError. */
  call<T>(call: S3Call<T>): Promise<T> {
    return retryTransient(() => this.once(call), this.options.retryPolicy, call.signal);
  }

  /** The same without a retry, for callers that must check the store before they retry. */
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

  /** Size, checksum, encryption and lock of an object; undefined if it does not exist, `hidden` if a delete marker hides it. */
  async head(name: string, signal?: AbortSignal, VersionId?: string): Promise<ObjectHead | 'hidden' | undefined> {
    const command = { Bucket: this.options.bucket, Key: this.key(name), VersionId, ChecksumMode: 'ENABLED' } as const;
    try {
      return await this.call({
        doing: 'read the metadata of an object',
        signal,
        send: async (client, options) => {
          try {
            return objectHead(await client.send(new HeadObjectCommand(command), options));
          } catch (error) {
            if (isHiddenByMarker(error)) return 'hidden';
            throw error;
          }
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

export interface ObjectHead extends ObjectInfo {
  readonly size: number;
  readonly version: string | undefined;
  readonly lockedUntil: Date | undefined;
  readonly isCompliance: boolean;
}

export const objectHead = (response: HeadObjectCommandOutput): ObjectHead => ({
  ...objectInfo(response),
  size: response.ContentLength ?? 0,
  version: response.VersionId,
  lockedUntil: response.ObjectLockRetainUntilDate,
  isCompliance: response.ObjectLockMode === 'COMPLIANCE',
});

/** What a response says about an object or a part. */
export const objectInfo = (
  response: Pick<HeadObjectCommandOutput, 'ETag' | 'ChecksumCRC32' | 'ServerSideEncryption' | 'SSEKMSKeyId'>,
): ObjectInfo => ({
  tag: response.ETag,
  crc32: response.ChecksumCRC32,
  encryption: response.ServerSideEncryption,
  kmsKeyId: response.SSEKMSKeyId,
});

/** A key is named by its id or its ARN, which ends with the id. An alias cannot be compared with the key it stands for. */
const isOtherKey = (configured: string, used: string): boolean =>
  !configured.includes('alias/') && configured.split('/').at(-1) !== used.split('/').at(-1);
