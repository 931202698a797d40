import { equal, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import type { ApiError } from '../../../../shared/contract/errors.ts';
import { countRecipient, isWithinRecipientLimit } from '../../../../shared/organization/invitation/recipient-limit.ts';
import { commit, newId, type Tenant, unsafeTenant } from '../../../../shared/platform/index.ts';
import { type ScriptedAws, scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const aws: ScriptedAws = await scriptAws();
afterAll(() => aws.stop());
let table: InMemoryTable;
beforeEach(() => {
  table = new InMemoryTable();
  aws.play({ ...table.script });
});

const now = new Date('2025-06-01T23:00:00.000Z');
const tenant = () => unsafeTenant(newId('organization'), 'record');
const email = 'bob@example.com';
const send = (from: Tenant, userId: string, to = email, at = now) =>
  commit(countRecipient({ tenant: from, actor: { type: 'user', id: userId, email: null } }, to, at));
const refused = (error: unknown) =>
  (error as ApiError).code === 'RATE_LIMITED' && (error as ApiError).headers['retry-after'] === '3600';

test('countRecipient: one user can send 10 a day to one address, from any number of organizations', async () => {
  const userId = newId('user');
  for (let n = 0; n < 10; n++) await send(tenant(), userId);
  await rejects(send(tenant(), userId, 'Bob@Example.com'), refused);
  await send(tenant(), userId, 'ann@example.com');
  await send(tenant(), userId, email, new Date(now.getTime() + 3_600_000));
});

test('countRecipient: one organization can send 10 a day to one address, by all inviters together', async () => {
  const organization = tenant();
  for (let n = 0; n < 10; n++) await send(organization, newId('user'));
  await rejects(send(organization, newId('user')), refused);
});

test('isWithinRecipientLimit: 20 e-mails a day reach one address, from whomever', async () => {
  for (let n = 0; n < 20; n++) ok(await isWithinRecipientLimit(email, now));
  equal(await isWithinRecipientLimit(email, now), false);
  // Other senders cannot tell: their own limits are unaffected.
  await send(tenant(), newId('user'));
  ok(!JSON.stringify([...table.items.values()]).includes('bob'), 'addresses are stored hashed');
});
