/** The rolling audit of captured changes on the stage, where no day passes. */
import { ok } from 'node:assert/strict';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { pitrKey } from '../../../shared/pitr/index.ts';
import { type BatchRecord, batchPrefix, type CaptureAuditRecord, type PitrRecord } from '../../../shared/pitr/model/record.ts';
import { unsafeTenant } from '../../../shared/platform/index.ts';
import { type BackupRecord, backupKey } from '../../../shared/stored-backup/index.ts';
import { lookUntil } from '../time/look-until.ts';
import { call } from './client.ts';
import { enterStage } from './enter-stage.ts';
import type { TestOrganization } from './organization.ts';
import { getItem, removeItem, setFields } from './table.ts';

const dayMs = 24 * 3_600_000;

/** Makes the last base one of so many days ago, as far as the audit is concerned. */
export const ageBase = async (organization: TestOrganization, projectId: string, days: number): Promise<void> => {
  const tenant = unsafeTenant(organization.id, 'record');
  const { bases } = (await getItem(pitrKey.pitr(tenant, projectId))) as PitrRecord;
  const key = backupKey.backup(tenant, bases.at(-1)?.backupId ?? '');
  const auditedSince = new Date(Date.now() - days * dayMs).toISOString();
  await setFields(key, { builtFrom: 'changes', auditedSince } satisfies Partial<BackupRecord>);
};

/** Ends the day of the audit, lets the watchdog send what is due, and waits for a step; returns the audit as the API shows it. */
export const auditOnce = async (organization: TestOrganization, projectId: string) => {
  const tenant = unsafeTenant(organization.id, 'record');
  const now = new Date().toISOString();
  const before = (await getItem(pitrKey.audit(tenant, projectId))) as CaptureAuditRecord | undefined;
  if (before) await setFields(before, { dayEndsAt: now } satisfies Partial<CaptureAuditRecord>);
  await setFields(pitrKey.pitr(tenant, projectId), { auditDueAt: now });
  await enterStage({ CAPTURE_QUEUE_URL: 'Captures', CAPTURE_AUDIT_QUEUE_URL: 'CaptureAudits', BUCKET_WORK_QUEUE_URL: 'Chores' });
  const { handler } = await import('../../../functions/pitr/watch.ts');
  await handler();
  const by = { token: organization.owner.accessToken, org: organization.id, params: { projectId } };
  // The worker looks for another step before it ends.
  const { audit } = await lookUntil(
    async () => (await call(pitr.get, by)).body.data,
    ({ audit }) => audit?.problem != null || ((audit?.lastAt ?? '') > now && (audit?.dueAt ?? '') > (audit?.lastAt ?? '')),
  );
  ok(audit);
  return audit;
};

/** A fault: the last captured batch is lost without a trace. */
export const loseLastBatch = async (organization: TestOrganization, projectId: string): Promise<void> => {
  const tenant = unsafeTenant(organization.id, 'record');
  const key = pitrKey.pitr(tenant, projectId);
  const { lastBatch } = (await getItem(key)) as PitrRecord;
  const { pk } = pitrKey.audit(tenant, projectId);
  const batch = (await getItem({ pk, sk: `${batchPrefix}${lastBatch}` })) as BatchRecord;
  ok(batch.previous !== null, 'another batch precedes it');
  await setFields(key, { lastBatch: batch.previous });
  await removeItem(batch);
};
