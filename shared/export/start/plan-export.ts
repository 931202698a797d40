/** What an export would write, without writing anything. */
import type * as z from 'zod/mini';
import type { Archive } from '../../archive/index.ts';
import type { ExportPlan } from '../../contract/models/export.ts';
import type { NameRange } from '../../firestore/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { findMissing } from '../../restore/index.ts';
import { type ArchiveDeps, requestArchiveDeps, withArchiveInRequest } from '../../stored-backup/index.ts';
import { exportSizes } from '../export-deps.ts';
import { noCost } from '../model/export-view.ts';
import { exportScope, splitExport } from '../run/split-export.ts';
import type { ExportRequest } from './export-request.ts';

/** `bytes` are those of the documents in the encoding of the source, in proportion; how large files become depends on the format. */
export const planExport = (
  tenant: Tenant,
  { backup, pointInTime, projectId, format, collections, destination }: ExportRequest,
  deps: ArchiveDeps = requestArchiveDeps,
): Promise<z.input<typeof ExportPlan>> =>
  withArchiveInRequest(tenant, {
    backup,
    deps,
    work: async ({ archive }) => {
      const all = archive.manifest.counts.documents;
      const { ranges, records } = collections.includes('*')
        ? { ranges: rangesOfAll(archive), records: all }
        : await countScope(archive, exportScope(backup, collections));
      const documents = Math.min(records, all);
      const tables = format === 'ndjson' || format === 'ndjson-typed' ? 1 : archive.manifest.collections.length;
      // The base of a moment lacks what was created since.
      const found = pointInTime === null ? await findMissing(archive, { collections, includeSubcollections: true }) : undefined;
      const { unknownCollections = [], unknownCollectionsCount = 0 } = found?.missing ?? {};
      return {
        dryRun: true,
        projectId,
        backupId: backup.id,
        pointInTime,
        format,
        documents,
        bytes: all === 0 ? 0 : Math.round((backup.originalSize * documents) / all),
        // Most ranges lie in one collection; each further one begins a file of its own.
        files: (documents === 0 ? 0 : ranges + tables - 1) + (format === 'google' ? metadataFiles(documents, tables) : 0),
        unknownCollections: unknownCollections.slice(0, unknownMax),
        unknownCollectionsCount,
        partial: backup.lacks ?? null,
        storageDestination: { id: destination.id, name: destination.name, type: destination.type },
        cost: noCost,
      };
    },
  });

/** Shown in a plan and on a record. */
const unknownMax = 100;

/** One for each collection id, the overall one, and that of the emulator. */
const metadataFiles = (documents: number, tables: number): number => (documents === 0 ? 0 : tables) + 2;

/** Without reading the index, which has thousands of pages in a large backup. */
const rangesOfAll = ({ pages, manifest }: Archive): number => {
  const segments = pages.reduce((sum, page) => sum + page.segments, 0);
  const { shardSegments, shardRecords } = exportSizes;
  return Math.max(1, Math.ceil(segments / shardSegments), Math.ceil(manifest.counts.documents / shardRecords));
};

const countScope = async (archive: Archive, scope: readonly NameRange[]) => {
  const shards = await splitExport(archive, scope, exportSizes);
  return { ranges: shards.length, records: shards.reduce((sum, { expected }) => sum + expected, 0) };
};
