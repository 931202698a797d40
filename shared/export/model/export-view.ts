/** An export as the API and the events show it. */
import type * as z from 'zod/mini';
import type { EventData } from '../../contract/events/event-catalogue.ts';
import type { Export } from '../../contract/models/export.ts';
import { type Patience, shownWait } from '../../job/index.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import { transformSummary } from '../../restore/index.ts';
import { creatorData } from '../../stored-backup/index.ts';
import type { ExportRecord } from './record.ts';

type Shown = z.input<typeof Export>;

/** An export fails if the bucket does not answer for so long. It has no other deadline. */
export const exportPatience: Patience = { storage: 30 * 60, database: 30 * 60, deadline: null };

export const isActiveExport = ({ status }: Pick<ExportRecord, 'status'>): boolean => status === 'pending' || status === 'running';

/** A table has its columns before its first document, so the backup is read twice. */
export const readsColumns = ({ format, columns }: Pick<ExportRecord, 'format' | 'columns'>): boolean =>
  format === 'parquet' || (format === 'csv' && columns === null);

export const exportData = (record: ExportRecord): Shown => {
  const { id, projectId, projectName, backupId, pointInTime, format, exactText, path, status, phase } = record;
  const { storageDestination, documents, documentsErased, files, bytes, manifest, createdAt, startedAt, completedAt } = record;
  const { transform, transformed, columns, error } = record;
  return {
    id,
    projectId,
    projectName,
    backupId,
    pointInTime,
    readTime: record.readTime ?? pointInTime,
    format,
    collections: [...record.collections],
    unknownCollections: [...record.unknownCollections],
    unknownCollectionsCount: record.unknownCollectionsCount ?? record.unknownCollections.length,
    partial: record.lacks ?? null,
    columns: columns && [...columns],
    exactText,
    storageDestination,
    download: record.download ?? false,
    path,
    status,
    phase,
    progress: progressOf(record),
    cancelling: isActiveExport(record) && record.cancelling === true,
    waitingFor: isActiveExport(record) ? shownWait(record, exportPatience) : null,
    documents,
    documentsErased,
    files,
    bytes,
    manifest,
    recipients: [...(record.recipients ?? [])],
    retention: record.retention ?? null,
    expiresAt: record.expiresAt ?? null,
    filesDeletedAt: record.filesDeletedAt ?? null,
    filesKeptReason: record.filesKeptReason ?? null,
    resumableUntil: record.resumableUntil ?? null,
    ...(transform && { transform: transformSummary(transform, transformed) }),
    // The source is not read; the requests to the bucket are on its owner's bill.
    cost: noCost,
    duration:
      startedAt && completedAt ? Math.max(0, Math.round((Date.parse(completedAt) - Date.parse(startedAt)) / 1_000)) : null,
    createdBy: creatorData(record.createdBy),
    createdAt,
    startedAt,
    completedAt,
    error,
  };
};

export const noCost = { reads: 0, estimatedUsd: 0 };

/** 100 only for a completed export. */
const progressOf = (record: ExportRecord): Shown['progress'] => {
  const { status, expected, documentsRead, documents, documentsErased } = record;
  if (status === 'completed') return { percent: 100, documents, totalDocuments: documents };
  if (expected === null) return { percent: 0, documents: 0, totalDocuments: null };
  const passes = readsColumns(record) ? 2 : 1;
  const done = documents + documentsErased + (passes === 2 ? documentsRead : 0);
  const percent = expected === 0 ? 0 : Math.min(99, Math.floor((100 * done) / (expected * passes)));
  return { percent, documents, totalDocuments: expected };
};

/** The `data` of the events; export.failed requires an `error`. */
export const exportEvent = (
  record: ExportRecord,
  { id, name }: Pick<OrganizationRecord, 'id' | 'name'>,
): EventData<'export.completed'> => ({ export: exportData(record), organization: { id, name } });
