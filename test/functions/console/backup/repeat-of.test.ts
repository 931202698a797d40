import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { repeatOf, scheduleToRepeat } from '../../../../functions/console/app/data/repeat-of.ts';

type Backup = Parameters<typeof repeatOf>[0];

test('failed backup: the one that is made instead is kept for as long', () => {
  const failed = { storageDestination: { id: 'dst_1' }, retention: 30 } as unknown as Backup;
  equal(repeatOf(failed).retention, 30);
  equal('retention' in repeatOf({ ...failed, retention: undefined }), false);
});

test('failed backup: a schedule with a retention policy runs again, because a single backup has days only', () => {
  const scheduled = { scheduleId: 'sch_1', retentionPolicy: { daily: 7 } } as unknown as Backup;
  equal(scheduleToRepeat(scheduled), 'sch_1');
  equal(scheduleToRepeat({ ...scheduled, retentionPolicy: undefined }), undefined);
});
