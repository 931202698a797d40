import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { repeatOf } from '../../../../functions/console/app/data/repeat-of.ts';

type Backup = Parameters<typeof repeatOf>[0];

test('failed backup: the one that is made instead is kept for as long', () => {
  const failed = { storageDestination: { id: 'dst_1' }, retention: 30 } as unknown as Backup;
  equal(repeatOf(failed).retention, 30);
  equal('retention' in repeatOf({ ...failed, retention: undefined }), false);
});
