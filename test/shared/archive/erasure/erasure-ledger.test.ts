/** The ledger beside a backup is as trustworthy as the backup itself. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import {
  type ErasureLedger,
  erasuresName,
  erasuresVersion,
  openErasures,
  sealErasures,
} from '../../../../shared/archive/index.ts';
import { dataKey, identity, refuses, writing } from '../../../harness/builders/sample-archive.ts';

const ledger: ErasureLedger = {
  version: 3,
  erasures: [
    {
      id: 'era_1',
      createdAt: '2025-01-31T08:00:00.000Z',
      paths: ['users/ada'],
      includeSubcollections: true,
      query: { field: 'email', value: { stringValue: 'ada@example.com' } },
    },
  ],
};

test('erasure ledger: the key of the backup opens what was sealed', async () => {
  const stored = sealErasures(ledger, writing());
  deepEqual(await openErasures(stored, { identity, dataKey, version: 3 }), ledger);
  deepEqual(
    [erasuresName(3), erasuresVersion('erasures/00000003'), erasuresVersion('manifest')],
    ['erasures/00000003', 3, undefined],
  );
});

test('erasure ledger: one that was altered, renamed or moved to another backup is rejected', async () => {
  const stored = sealErasures(ledger, writing());
  const altered = Buffer.from(stored);
  altered.writeUInt8(altered.readUInt8(altered.length - 20) ^ 1, altered.length - 20);
  await refuses(() => openErasures(altered, { identity, dataKey, version: 3 }), 'tag-mismatch');
  await refuses(() => openErasures(stored, { identity, dataKey, version: 4 }), 'wrong-backup');
  const other = { ...identity, backup: 'bkp_02' };
  await refuses(() => openErasures(stored, { identity: other, dataKey, version: 3 }), 'wrong-backup');
});
