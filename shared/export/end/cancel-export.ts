/** Cancels an export: it is `cancelling` until its workers have stopped, which takes seconds; its next step then ends it. */
import { auditNote, describeActor } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import type { CallerContext } from '../../organization/index.ts';
import { type Change, StaleReadError, set } from '../../platform/index.ts';
import { isActiveExport } from '../model/export-view.ts';
import { getExport } from '../model/get-export.ts';
import { type ExportRecord, exportKey } from '../model/record.ts';

export const cancelExport = async (
  { tenant, actor }: Pick<CallerContext, 'tenant' | 'actor'>,
  exportId: string,
): Promise<{ readonly record: ExportRecord; readonly change: Change }> => {
  const record = await getExport(tenant, exportId);
  const { id, status, attempt, projectId, cancelling } = record;
  if (!isActiveExport(record))
    throw new ApiError('CONFLICT', `Only an export that is pending or running can be cancelled; this one is ${status}`, {
      status,
    });
  const audit = [auditNote(tenant, { type: 'export', id, details: { projectId, status } })];
  if (cancelling) return { record, change: { writes: [], audit } };
  const error = { code: 'CANCELLED', message: `The export was cancelled by ${describeActor(actor)}` } as const;
  const stopping = { cancelling: true, failure: error } as const;
  const expected = { status, attempt, cancelling: undefined };
  const write = set(exportKey.export(tenant, id), stopping, { expected, onConditionFailed: () => new StaleReadError() });
  return { record: { ...record, ...stopping }, change: { writes: [write], audit } };
};
