/** Starts restores. Apart from the other endpoints of restores, which need no clients of buckets. */
import { auditNote } from '../../shared/audit/index.ts';
import { restores } from '../../shared/contract/endpoints/restores.ts';
import { handle } from '../../shared/http/index.ts';
import {
  assertBatchesPresent,
  assertNamesFound,
  assertRestoreCapacity,
  assertRulesMatch,
  findBuiltPoint,
  planInRequest,
  planPointInTime,
  readRestoreRequest,
  restoreData,
  startRestore,
  withKnownCollections,
} from '../../shared/restore/index.ts';
import { currentEncryption, readEncryption } from '../../shared/stored-backup/index.ts';

export const create = handle(restores.create, async (call) => {
  const { tenant, actor, body, now } = call;
  const { options, pointRequest: requested, ...context } = await readRestoreRequest(tenant, body, now);
  const pointRequest = requested && (await withKnownCollections(tenant, requested));
  const { mergeMode, collections, documents, includeAuthUsers, safetyBackup, dryRun, buildsOnly, transform } = options;
  const { backup, target } = context;
  const summary = {
    ...(pointRequest && { pointInTime: pointRequest.point.moment, partial: pointRequest.point.uncovered }),
    projectId: backup.projectId,
    targetProjectId: target.id,
    mergeMode,
    collections: collections.slice(0, 100),
    documents: documents?.given.length,
    ...(transform && { transform: { rules: transform.rules.length, allowUnmatched: transform.allowUnmatched } }),
  };
  if (buildsOnly && pointRequest) {
    const built = await findBuiltPoint(tenant, { projectId: backup.projectId, point: pointRequest.point, now });
    if (built) {
      const note = auditNote(tenant, { type: 'backup', id: built.backupId, details: { ...summary, buildOnly: true } });
      return { data: restoreData(built), status: 200, change: { writes: [], audit: [{ ...note, action: 'restore.planned' }] } };
    }
  } else if (dryRun) {
    const data = pointRequest
      ? await planPointInTime(call, { request: { ...context, options }, pointRequest })
      : await planInRequest(call, { ...context, options });
    // A dry run reads the backup, so it is audited.
    const note = auditNote(tenant, { type: 'backup', id: pointRequest?.plan.base.id ?? backup.id, details: summary });
    const audit = [{ ...note, action: 'restore.planned' as const }];
    if (data) return { data, status: 200, change: { writes: [], audit } };
  }
  if (!pointRequest) await assertNamesFound(tenant, backup, options);
  // The backup of a point in time is built by the job, which then checks the rules.
  const masked = pointRequest ? undefined : await assertRulesMatch(tenant, { backup, target, options });
  await assertRestoreCapacity(tenant);
  if (pointRequest) await assertBatchesPresent(tenant, { pointRequest });
  const encryption = currentEncryption(await readEncryption(tenant));
  const createdBy = actor;
  const point = pointRequest?.point;
  const { restore, writes } = startRestore({ ...context, tenant, encryption, point }, { ...options, createdBy }, now);
  const details = {
    backupId: backup.id,
    ...summary,
    includeAuthUsers,
    safetyBackup,
    dryRun,
    ...(buildsOnly && { buildOnly: true }),
  };
  const data = { ...restoreData(restore), ...(dryRun && masked && { transformPreview: [...masked] }) };
  return { data, change: { writes, audit: [auditNote(tenant, { type: 'restore', id: restore.id, details })] } };
});
