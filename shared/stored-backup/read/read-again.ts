import { ArchiveError, reread } from '../../archive/index.ts';
import { type ExpectedObject, type ObjectStore, overNewConnection, StorageError } from '../../destination/index.ts';
import { log } from '../../platform/index.ts';

type Read<T> = (store: ObjectStore) => Promise<T>;

/** Whether the store sent other bytes, or another number of them, than were stored. The error may name the object in its message. */
export const isDoubtful = (error: unknown): boolean => {
  if (error instanceof ArchiveError) return error.code !== 'self-check-failed';
  if (error instanceof StorageError) return error.code === 'invalid' && !error.bucket;
  return error instanceof Error && error.cause !== undefined && isDoubtful(error.cause);
};

/** Reads an object. What fails its check is read again twice, each time over a new connection. */
export const readAgain = <T>(store: ObjectStore, object: ExpectedObject, read: Read<T>): Promise<T> =>
  reread(
    (again) => (again === 0 ? read(store) : overNewConnection(store, object, read)),
    (error) => {
      if (!isDoubtful(error)) return false;
      log.warn('an object of a backup failed its check and is read again', {
        name: object.name,
        reason: (error as Error).message,
      });
      return true;
    },
  );
