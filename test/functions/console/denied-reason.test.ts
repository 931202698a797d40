/** Why a person may not do something, in words. */
import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { deniedReason } from '../../../functions/console/app/format/denied-reason.ts';
import { roleAtLeast, roles } from '../../../shared/contract/access.ts';

test('permission: the reason names everyone who may, and is absent for them', () => {
  equal(deniedReason('viewer', 'member'), 'Only members, admins and the owner can do this.');
  equal(deniedReason('member', 'admin'), 'Only admins and the owner can do this.');
  equal(deniedReason('admin', 'owner'), 'Only the owner can do this.');
  for (const own of roles) for (const role of roles) equal(deniedReason(own, role) === undefined, roleAtLeast(own, role));
});
