import { HeadObjectCommand, type HeadObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { type Patience, persist } from './attempts.ts';
import { boundAnswers } from './s3-answer.ts';
import type { DigestKind } from './s3-digest.ts';
import { s3Failure } from './s3-failure.ts';
import { type PutOptions, StorageError } from './store.ts';

export interface S3Place {
  readonly client: S3Client;
  readonly bucket: string;
  readonly folder: string;
  readonly digest: DigestKind;
  readonly lockMode?: 'GOVERNANCE' | 'COMPLIANCE' | undefined;
  readonly patience: Patience;
  /** 8 MiB, of which ten thousand make 78 GiB; at least 5 MiB, or the store takes them for the last. */
  readonly partBytes: number;
}

/** A folder of a bucket, and how to ask the store for anything in it. */
export class S3Bucket {
  readonly place: S3Place;

  constructor(place: S3Place) {
    this.place = place;
    boundAnswers(place.client);
  }

  key(name: string): string {
    return this.place.folder === '' ? name : `${this.place.folder}/${name}`;
  }

  object(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.place.bucket, Key: this.key(name) };
  }

  /** What an object that may be locked is stored with. */
  lock({ lockedUntil }: PutOptions) {
    const { lockMode } = this.place;
    return lockMode && lockedUntil ? { ObjectLockMode: lockMode, ObjectLockRetainUntilDate: lockedUntil } : {};
  }

  /** One call, as often as it takes, its failure in our words. */
  call<T>(doing: string, signal: AbortSignal | undefined, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return persist(() => this.once(doing, signal, send), this.place.patience, signal);
  }

  /** The same, tried once, for what must look before it tries again. */
  async once<T>(doing: string, signal: AbortSignal | undefined, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = AbortSignal.timeout(this.place.patience.requestMs);
    try {
      return await send(signal ? AbortSignal.any([signal, limit]) : limit);
    } catch (error) {
      if (limit.aborted) throw new StorageError('unavailable', `The store did not ${doing} in time.`);
      throw s3Failure(error, doing);
    }
  }

  /** What the store tells of an object, its checksum included; undefined where there is none. */
  look(name: string, signal?: AbortSignal): Promise<HeadObjectCommandOutput | undefined> {
    const command = new HeadObjectCommand({ ...this.object(name), ChecksumMode: 'ENABLED' });
    return this.call('look at an object', signal, async (abortSignal) => {
      try {
        return await this.place.client.send(command, { abortSignal });
      } catch (error) {
        if (s3Failure(error, '').code === 'missing') return undefined;
        throw error;
      }
    });
  }
}
