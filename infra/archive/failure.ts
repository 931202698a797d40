/** Failures of the command: exit code and a one-line message without secrets. */
import { ArchiveError } from '../../shared/archive/index.ts';
import { StorageError } from '../../shared/destination/index.ts';

/** 1: the backup is damaged. 2: invalid usage, or the backup cannot be reached or opened. */
type ExitCode = 1 | 2;

export class Failure extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** The backup is damaged at `object`. */
export const damaged = (object: string, message: string, cause?: unknown): Failure =>
  new Failure(1, `${object}: ${message}`, cause === undefined ? undefined : { cause });

export const unusable = (message: string, cause?: unknown): Failure =>
  new Failure(2, message, cause === undefined ? undefined : { cause });

/** Converts any error; `object` is the object that was being read. */
export const failureOf = (error: unknown, object?: string): Failure => {
  if (error instanceof Failure) return error;
  if (error instanceof ArchiveError) {
    const { code, message } = error;
    if (code === 'wrong-passphrase' || code === 'passphrase-refused') return unusable(message, error);
    return damaged(
      error.object ? `${error.object.backup}/${error.object.name}` : (object ?? 'backup'),
      `${message} (${code})`,
      error,
    );
  }
  if (error instanceof StorageError) {
    if (error.code === 'missing' && !error.bucket && object) return damaged(object, 'is missing', error);
    return unusable(`${object ? `${object}: ` : ''}${error.message}`, error);
  }
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') return unusable(`${object ? `${object}: ` : ''}${code}`, error);
  return unusable(`${name}: ${message.split('\n')[0]}`, error);
};
