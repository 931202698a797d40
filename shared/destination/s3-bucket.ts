import type { Answer } from '../platform/index.ts';
import { type Patience, persist } from './attempts.ts';
import { toldOf } from './s3-answer.ts';
import type { S3Call, S3Client } from './s3-client.ts';
import type { DigestKind, Told } from './s3-digest.ts';
import { s3Failure } from './s3-failure.ts';
import { type PutOptions, StorageError } from './store.ts';

export interface S3Place {
  readonly client: S3Client;
  readonly folder: string;
  readonly digest: DigestKind;
  readonly lockMode?: 'GOVERNANCE' | 'COMPLIANCE' | undefined;
  readonly patience: Patience;
  /** 8 MiB, of which ten thousand make 78 GiB; at least 5 MiB, or the store takes them for the last. */
  readonly partBytes: number;
}

/** A call; the time it may take is the bucket's to say. */
export type Asking = Omit<S3Call, 'signal'> & { readonly signal?: AbortSignal | undefined };

type Pardon<T> = (error: unknown) => T | undefined;

/** A folder of a bucket, and how to ask the store for anything in it. */
export class S3Bucket {
  readonly place: S3Place;

  constructor(place: S3Place) {
    this.place = place;
  }

  key(name: string): string {
    return this.place.folder === '' ? name : `${this.place.folder}/${name}`;
  }

  /** The headers of an object that may be locked. */
  lock({ lockedUntil }: PutOptions): Readonly<Record<string, string>> {
    const { lockMode } = this.place;
    if (!lockMode || !lockedUntil) return {};
    return {
      'x-amz-object-lock-mode': lockMode,
      'x-amz-object-lock-retain-until-date': lockedUntil.toISOString().replace('.000Z', 'Z'),
    };
  }

  /** One call, as often as it takes, its failure in our words; `read` is part of it, and `pardon` makes an answer of a failure. */
  call<T>(doing: string, asked: Asking, read: (answer: Answer) => T, pardon?: Pardon<T>): Promise<T> {
    return persist(() => this.once(doing, asked, read, pardon), this.place.patience, asked.signal);
  }

  /** The same, tried once, for what must look before it tries again. */
  async once<T>(doing: string, { signal, ...asked }: Asking, read: (answer: Answer) => T, pardon?: Pardon<T>): Promise<T> {
    const limit = AbortSignal.timeout(this.place.patience.requestMs);
    try {
      return read(await this.place.client.send({ ...asked, signal: signal ? AbortSignal.any([signal, limit]) : limit }));
    } catch (error) {
      const pardoned = pardon?.(error);
      if (pardoned !== undefined) return pardoned;
      if (limit.aborted) throw new StorageError('unavailable', `The store did not ${doing} in time.`);
      throw s3Failure(error, doing);
    }
  }

  /** What the store tells of an object, its checksum included; undefined where there is none. */
  async look(name: string, signal?: AbortSignal): Promise<(Told & { readonly size: number }) | undefined> {
    const asked: Asking = { method: 'HEAD', key: this.key(name), headers: { 'x-amz-checksum-mode': 'ENABLED' }, signal };
    try {
      return await this.call('look at an object', asked, (answer) => ({
        ...toldOf(answer),
        size: Number(answer.headers['content-length'] ?? 0),
      }));
    } catch (error) {
      if (error instanceof StorageError && error.code === 'missing') return undefined;
      throw error;
    }
  }
}
