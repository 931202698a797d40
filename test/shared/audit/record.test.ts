import { deepEqual, equal } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { auditEntry, auditNote, systemAudit } from '../../../shared/audit/index.ts';
import { commit } from '../../../shared/platform/index.ts';
import { answerOnWire } from '../../harness/aws/in-process.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
answerOnWire(table.script);
Object.assign(process.env, { PLAN: 'starter', AUDIT_RETENTION_DAYS: '10' });
const tenant = { organizationId: 'org_01JZ8Q4V0M6T3X9C2B7N5K1HRD' };
const now = new Date('2026-01-01T00:00:00Z');

beforeEach(() => table.items.clear());

test('auditNote: it names the organization and the resource; details are optional', () => {
  const note = { scope: tenant.organizationId, resource: { type: 'project', id: 'p' } };
  deepEqual(auditNote(tenant, { type: 'project', id: 'p' }), note);
  deepEqual(auditNote(tenant, { type: 'project', id: 'p', details: { name: 'x' } }), { ...note, details: { name: 'x' } });
});

test('systemAudit: the actor is the system, without an address, and the request id is the resource id', async () => {
  await commit([
    systemAudit('retention', {
      action: 'backup.expired',
      note: auditNote(tenant, { type: 'backup', id: 'b', details: { name: 'x' } }),
      now,
    }),
  ]);
  const [entry] = table.find(`AUDIT#${tenant.organizationId}`, 'ENTRY#');
  const { pk: _pk, sk: _sk, id, ...rest } = entry ?? {};
  equal(String(id).startsWith('aud_'), true);
  deepEqual(rest, {
    timestamp: '2026-01-01T00:00:00.000Z',
    action: 'backup.expired',
    actor: { type: 'system', id: 'retention', email: null },
    resource: { type: 'backup', id: 'b' },
    organization: { id: tenant.organizationId },
    context: { ip: null, userAgent: null, location: null, requestId: 'b' },
    details: { name: 'x' },
    ttl: now.getTime() / 1_000 + 10 * 24 * 3_600,
  });
});

test('systemAudit: a given request id is kept', async () => {
  const note = auditNote(tenant, { type: 'backup', id: 'b' });
  await commit([systemAudit('retention', { action: 'backup.expired', note, now, requestId: 'req_1' })]);
  const [entry] = table.find(`AUDIT#${tenant.organizationId}`);
  deepEqual(entry?.context, { ip: null, userAgent: null, location: null, requestId: 'req_1' });
});

test('auditEntry: the location of the request is kept', async () => {
  const actor = { type: 'user', id: 'usr_1', email: 'ada@example.com' } as const;
  const origin = { ip: '203.0.113.7', userAgent: null, location: 'DE, Berlin', requestId: 'r' };
  await commit([auditEntry('project.created', { note: auditNote(tenant, { type: 'project', id: 'p' }), actor, origin, now })]);
  const [entry] = table.find(`AUDIT#${tenant.organizationId}`, 'ENTRY#');
  deepEqual(entry?.context, origin);
});
