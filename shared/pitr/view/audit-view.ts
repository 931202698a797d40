/** The rolling audit of a project as the API shows it. */
import type * as z from 'zod/mini';
import type { PitrAudit, PitrDivergence } from '../../contract/models/pitr.ts';
import { get, query, type Tenant } from '../../platform/index.ts';
import { backupKey, costOf, sourceReadingOf } from '../../stored-backup/index.ts';
import { microsOf, shownMoment } from '../model/micro-time.ts';
import { type DivergedRecord, divergedPrefix, type PitrRecord, pitrKey } from '../model/record.ts';
import { auditedSince, decodeSlices } from '../timeline/audited-slices.ts';

/** Null before there is anything that could be audited. */
export const readAuditView = async (tenant: Tenant, pitr: PitrRecord): Promise<z.input<typeof PitrAudit> | null> => {
  const { projectId, capturedTo } = pitr;
  const baseId = pitr.bases.at(-1)?.backupId;
  if (baseId === undefined || capturedTo === null) return null;
  const [audit, base] = await Promise.all([get(pitrKey.audit(tenant, projectId)), get(backupKey.backup(tenant, baseId))]);
  const since = base && sourceReadingOf(base).auditedSince;
  const oldest = since !== undefined && audit ? auditedSince(decodeSlices(audit.slices), since, capturedTo) : since;
  return {
    auditedSince: oldest === undefined ? null : shownMoment(microsOf(oldest)),
    lastAt: audit?.lastAt ?? null,
    dueAt: pitr.status === 'active' ? (pitr.auditDueAt ?? null) : null,
    documents: audit?.documents ?? 0,
    differences: audit?.differences ?? 0,
    cost: costOf(audit?.reads ?? 0),
    problem: audit?.trouble ?? null,
  };
};

/** Documents that differed, the last found first. */
export const listDivergences = async (
  tenant: Tenant,
  projectId: string,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ readonly data: z.input<typeof PitrDivergence>[]; readonly next: string | undefined }> => {
  const { pk } = pitrKey.audit(tenant, projectId);
  const page = await query<DivergedRecord>({ pk, prefix: divergedPrefix, newestFirst: true, after, limit });
  return {
    data: page.items.map(({ id, path, captured, source, from, to }) => ({
      id,
      path,
      captured,
      source,
      from: shownMoment(microsOf(from)),
      to: shownMoment(microsOf(to)),
    })),
    next: page.next,
  };
};
