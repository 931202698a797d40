import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { parseLock, readProtection } from '../../../../infra/cli/context/storage-protection.ts';

test('bms storage: only the options that were given are sent, and none is null', () => {
  deepEqual(readProtection({}), {});
  deepEqual(readProtection({ objectLock: parseLock('compliance:365'), sse: 'aws:kms', sseKmsKeyId: 'alias/backups' }), {
    objectLock: { mode: 'compliance', days: 365 },
    sse: 'aws:kms',
    sseKmsKeyId: 'alias/backups',
  });
  deepEqual(readProtection({ objectLock: parseLock('none'), sse: 'none' }), { objectLock: null, sse: null });
});
