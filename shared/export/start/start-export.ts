/** Starts an export in one transaction: its record, the hold on its backup, and the task that starts the workflow. */
import { bucketLocation, objectPath } from '../../destination/index.ts';
import { enqueue } from '../../event/index.ts';
import { newMaskSaltItem } from '../../job/index.ts';
import { countJobStart, organizationKey } from '../../organization/index.ts';
import { check, create, iso, newId, StaleReadError, type Tenant, type Write } from '../../platform/index.ts';
import { holdBackup } from '../../restore/index.ts';
import { type ExportRecord, exportKey, type RunningExport } from '../model/record.ts';
import type { ExportRequest } from './export-request.ts';

interface StartExportOptions {
  readonly createdBy: ExportRecord['createdBy'];
  readonly now: Date;
}

/** The folder of the exports in a destination, beside those of the projects. */
const exportsFolder = 'exports';

export const startExport = (
  tenant: Tenant,
  request: ExportRequest,
  { createdBy, now }: StartExportOptions,
): { readonly record: ExportRecord; readonly writes: readonly Write[] } => {
  const { backup, pointInTime, projectId, project, destination, format, columns, exactText, collections, transform, recipients } =
    request;
  const id = newId('export', now);
  const isHeld = pointInTime === null;
  const record: ExportRecord = {
    ...exportKey.export(tenant, id),
    id,
    status: 'pending',
    phase: 'queued',
    phaseSince: iso(now),
    attempt: 1,
    projectId,
    projectName: project?.name ?? projectId,
    backupId: isHeld ? backup.id : null,
    pointInTime,
    readTime: pointInTime ?? backup.readTime,
    isHeld,
    format,
    columns,
    exactText,
    collections,
    unknownCollections: [],
    ...(transform && { transform }),
    ...(recipients && { recipients }),
    ...(request.retention !== undefined && { retention: request.retention }),
    ...(request.download && { download: true }),
    storageDestination: { id: destination.id, name: destination.name, type: destination.type },
    location: bucketLocation(destination),
    path: objectPath(destination, exportsFolder, projectId, id),
    expected: null,
    shardsRead: 0,
    shardsWritten: 0,
    documentsRead: 0,
    documents: 0,
    documentsErased: 0,
    files: 0,
    bytes: 0,
    manifest: null,
    createdAt: iso(now),
    startedAt: null,
    completedAt: null,
    error: null,
    createdBy,
  };
  const running: RunningExport = {
    ...exportKey.running(tenant, id),
    organizationId: tenant.organizationId,
    exportId: id,
    attempt: 1,
    since: iso(now),
  };
  return {
    record,
    writes: [
      countJobStart(tenant),
      // Fails if the destination is deleted at the same time.
      check(organizationKey.storageDestination(tenant, destination.id), {}, () => new StaleReadError()),
      create(record),
      { put: running },
      ...(isHeld ? [holdBackup(tenant, backup.id)] : []),
      ...(transform || recipients ? [{ put: newMaskSaltItem(tenant, id, now) }] : []),
      enqueue(tenant, { kind: 'start-export', exportId: id, attempt: 1 }, now),
    ],
  };
};
