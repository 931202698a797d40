/** Of two concurrent calls of one person to leave, the slower one finds no membership. */
import { rejects } from 'node:assert/strict';
import { test } from 'vitest';
import type { CallerContext } from '../../../shared/organization/index.ts';
import { newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { endMembership } from '../../../shared/project/index.ts';
import { answerInProcess } from '../../harness/aws/in-process.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

answerInProcess(new InMemoryTable().script);

test('end of a membership: who has left meanwhile is answered as a stranger, a missing other person as not found', async () => {
  const tenant = unsafeTenant(newId('organization'), 'created');
  const actor = { type: 'user', id: newId('user'), email: 'ann@example.com' };
  const caller = { tenant, organization: { id: tenant.organizationId }, role: 'admin', actor } as unknown as CallerContext;
  await rejects(endMembership(caller, actor.id, new Date()), { code: 'FORBIDDEN' });
  await rejects(endMembership(caller, newId('user'), new Date()), { code: 'MEMBER_NOT_FOUND' });
});
