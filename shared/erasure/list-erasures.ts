import type * as z from 'zod/mini';
import { ApiError } from '../contract/errors.ts';
import { isId } from '../contract/ids.ts';
import type { Erasure } from '../contract/models/erasure.ts';
import { get, getAll, type Tenant, takePage, walk } from '../platform/index.ts';
import { type ErasureRecord, entriesPrefix, erasureKey, type LedgerRecord } from './record.ts';

/** Newest first: ids sort by creation time. */
export const listErasures = async (
  tenant: Tenant,
  projectId: string,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ erasures: readonly ErasureRecord[]; ledger: LedgerRecord | undefined; next: string | undefined }> => {
  const { pk, sk } = erasureKey.ledger(tenant, projectId);
  const range = { pk, prefix: entriesPrefix(projectId), newestFirst: true, after: page.after, limit: page.limit + 1 };
  const [{ items, next }, ledger] = await Promise.all([
    takePage(walk<ErasureRecord>(range), page.limit),
    get<LedgerRecord>({ pk, sk }),
  ]);
  return { erasures: items, ledger, next };
};

export const readErasure = async (
  tenant: Tenant,
  projectId: string,
  erasureId: string,
): Promise<{ erasure: ErasureRecord; ledger: LedgerRecord | undefined }> => {
  if (!isId('erasure', erasureId)) throw erasureNotFound();
  const [erasure, ledger] = await getAll([
    erasureKey.erasure(tenant, projectId, erasureId),
    erasureKey.ledger(tenant, projectId),
  ]);
  if (!erasure) throw erasureNotFound();
  return { erasure: erasure as ErasureRecord, ledger: ledger as LedgerRecord | undefined };
};

const erasureNotFound = (): ApiError => new ApiError('ERASURE_NOT_FOUND', 'Erasure not found');

/** Without the paths and the value. */
export const erasureData = (record: ErasureRecord, ledger: LedgerRecord | undefined): z.input<typeof Erasure> => {
  const { id, projectId, pathCount, query = null, includeSubcollections, reason, status, documentsFound, version } = record;
  const { lastHeldBackupId, expiredAt, createdBy, createdAt } = record;
  return {
    id,
    projectId,
    pathCount,
    query,
    includeSubcollections,
    reason,
    status,
    documentsFound,
    copies: ledger !== undefined && ledger.storedVersion >= version ? 'stored' : 'pending',
    lastHeldBackupId,
    expiredAt,
    createdBy,
    createdAt,
  };
};
