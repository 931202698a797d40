import { deepEqual, equal } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { ArchiveError } from '../../../../shared/archive/index.ts';
import { reasonFor } from '../../../../shared/backup/index.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { StorageError } from '../../../../shared/destination/index.ts';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { failureOf, JobFailure } from '../../../../shared/job/index.ts';
import { backupOf } from '../../../harness/builders/sample-backup.ts';

describe('failure: an error', () => {
  for (const [what, error, code] of [
    ['of a source that refuses', new SourceError('SOURCE_AUTH_ERROR', 'no'), 'SOURCE_AUTH_ERROR'],
    ['of a source that miscounts', new SourceError('COUNT_MISMATCH', 'no'), 'COUNT_MISMATCH'],
    ['of a source that does not answer', new SourceError('INTERNAL_ERROR', 'no', { isTransient: true }), undefined],
    ['of a read that was ended', new SourceError('CANCELLED', 'no'), undefined],
    ['of a store that refuses', new StorageError('denied', 'no'), 'STORAGE_UPLOAD_ERROR'],
    ['of a store without a bucket', new StorageError('missing', 'no', { bucket: true }), 'STORAGE_UPLOAD_ERROR'],
    ['of a store that is away', new StorageError('unavailable', 'no'), undefined],
    ['of faulty memory', new ArchiveError('self-check-failed', 'no'), undefined],
    ['of an archive', new ArchiveError('tag-mismatch', 'no'), 'CHUNK_CORRUPT'],
    ['of a destination that is gone', new ApiError('STORAGE_NOT_FOUND', 'no'), 'STORAGE_UPLOAD_ERROR'],
    ['of a project that is gone', new ApiError('PROJECT_NOT_FOUND', 'no'), 'SOURCE_AUTH_ERROR'],
    ['of a table that is busy', new ApiError('CONFLICT', 'no'), undefined],
    ['of a job', new JobFailure('KEY_UNAVAILABLE', 'no'), 'KEY_UNAVAILABLE'],
    ['that is unexpected', new TypeError('no'), undefined],
  ] as const)
    test(`${what}: ${code ?? 'is retryable'}`, () => equal(failureOf(error)?.code, code));

  test('of a store read differs from that of a store written', () =>
    equal(failureOf(new StorageError('denied', 'no'), 'STORAGE_READ_ERROR')?.code, 'STORAGE_READ_ERROR'));
});

describe('failure: the reason', () => {
  const at = (minutes: number): string => new Date(minutes * 60_000).toISOString();
  const running = backupOf({ status: 'running', startedAt: at(0), deadline: at(30) });
  const failure = { code: 'COUNT_MISMATCH', message: 'one too few' } as const;
  const trouble = { code: 'STORAGE_UPLOAD_ERROR', message: 'SlowDown' } as const;
  const soon = new Date(at(10));
  const late = new Date(at(31));

  test('is the failure of the first step, before all else', () =>
    deepEqual(reasonFor({ ...running, failure, trouble }, { Error: 'States.Timeout' }, late), failure));

  test('is otherwise the timeout, with the last error', () =>
    deepEqual(reasonFor({ ...running, trouble }, undefined, late), {
      ...{ code: 'BACKUP_TIMEOUT', message: 'The backup took longer than its 30 minutes' },
      details: { timeoutMinutes: 30, lastProblem: 'SlowDown' },
    }));

  test('is otherwise the last error', () => deepEqual(reasonFor({ ...running, trouble }, undefined, soon), trouble));

  test('is otherwise a neutral internal error', () =>
    deepEqual(reasonFor(running, { Error: 'TypeError' }, soon), {
      ...{ code: 'INTERNAL_ERROR', message: 'The service could not make the backup' },
    }));

  test('is a timeout if a step timed out', () =>
    equal(reasonFor(running, { Error: 'States.Timeout' }, soon).code, 'BACKUP_TIMEOUT'));
});
