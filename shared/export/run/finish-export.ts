/** The last step: accounts for every file, writes the manifest, and completes the export. */
import { createHash } from 'node:crypto';
import { abortUploadsOf, type ObjectStore, readDestination } from '../../destination/index.ts';
import { erasureKey } from '../../erasure/index.ts';
import { type GoogleOutputs, googleMetadataFiles, microsecondsOf } from '../../export-format/index.ts';
import {
  assertOrganizationActive,
  deleteWorkItems,
  JobFailure,
  maskSaltKey,
  throwAsUploadError,
  withoutWait,
  workPartition,
} from '../../job/index.ts';
import { sumTransforms, type TransformCounts, unmatchedReason, unmatchedRules } from '../../mask/index.ts';
import { organizationKey } from '../../organization/index.ts';
import {
  absentOr,
  after,
  bestEffort,
  commit,
  emitMetric,
  get,
  iso,
  log,
  retryOnConflict,
  StaleReadError,
  type Tenant,
  update,
  type Write,
  walk,
} from '../../platform/index.ts';
import { backupKey, openArchive } from '../../stored-backup/index.ts';
import type { AgeSealer } from '../encrypt/age-sealer.ts';
import { releaseExportHold } from '../end/end-export.ts';
import type { ExportDeps } from '../export-deps.ts';
import { emitExportEvent, exportAudit } from '../model/export-notes.ts';
import { fileDigest } from '../model/file-digest.ts';
import { type ExportedFile, type ExportRecord, type ExportShardRecord, exportKey, manifestFile } from '../model/record.ts';
import { enteredPhase, updateRunningExport } from '../model/running-export.ts';
import { readText } from '../model/stored-text.ts';
import { assertDownloadFits } from './assert-download-fits.ts';
import { namesOf, readExported } from './export-shard.ts';
import { sealedExtension, singleMaxBytes } from './object-sink.ts';
import { openSealer } from './open-sealer.ts';

/** Idempotent: a repeated run stores the same objects. */
export const finishExport = async (tenant: Tenant, record: ExportRecord, deps: ExportDeps): Promise<void> => {
  const { shards, transformed } = await readShards(tenant, record);
  assertRulesMatched(record, transformed);
  const files: ExportedFile[] = [];
  for (const { number } of shards)
    files.push(...(await readText<readonly ExportedFile[]>(tenant, record.id, { kind: 'FILES', of: number })));
  const backup = await readExported(tenant, record);
  const open = await openArchive(tenant, { backup, deps });
  const destination = await readDestination(tenant, record.storageDestination.id);
  try {
    assertCounted(record, files);
    assertComplete(record, open.archive.manifest.counts.documents);
    const store = await deps.openStore(tenant, destination, record.path).catch(throwAsUploadError);
    try {
      const names = namesOf(open.archive);
      if (record.format === 'google') {
        const at = microsecondsOf(open.archive.manifest.readTime);
        const sealer = await openSealer(tenant, record, { backup, open });
        for (const [plainName, plain, collection = null] of googleMetadataFiles(outputsOf(files), { names, at })) {
          const name = sealer ? plainName + sealedExtension : plainName;
          const bytes = sealer ? sealWhole(sealer, plainName, plain) : plain;
          await store.put(name, bytes);
          files.push({ name, collection, documents: 0, bytes: bytes.length, sha256: fileDigest(bytes) });
        }
      }
      assertDownloadFits({ ...record, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }, deps);
      await assertStored(store, files);
      const large = files.filter(({ bytes }) => bytes > singleMaxBytes).map(({ name }) => name);
      await bestEffort('abort what ended runs have not uploaded', abortUploadsOf(store, large));
      const manifest = manifestOf({ ...record, ...(transformed && { transformed }) }, files, {
        source: open.archive.manifest.source,
        readTime: open.archive.manifest.readTime,
      });
      await store.put(manifestFile, manifest);
      await complete(tenant, record, {
        files,
        manifest: { path: `${record.path}/${manifestFile}`, sha256: fileDigest(manifest) },
        transformed,
        deps,
      });
    } catch (error) {
      return throwAsUploadError(error);
    } finally {
      store.close();
    }
  } finally {
    open.close();
  }
};

const readShards = async (tenant: Tenant, { id, transform }: ExportRecord) => {
  const range = { pk: workPartition(tenant, id), prefix: 'SHARD#' };
  const shards = await Array.fromAsync(walk<ExportShardRecord>(range));
  const transformed =
    transform &&
    sumTransforms(
      shards.map((shard) => shard.transformed),
      transform.rules.length,
    );
  return { shards, transformed };
};

/** What a rule was to mask may have another name, so the files are deleted. */
const assertRulesMatched = ({ transform }: ExportRecord, transformed: TransformCounts | undefined): void => {
  if (!transform || !transformed || transform.allowUnmatched) return;
  const unmatched = unmatchedRules(transform.rules, transformed);
  if (unmatched.length > 0) throw new JobFailure('TRANSFORM_INVALID', `transform: ${unmatchedReason(unmatched, 'export')}`);
};

/** Fails if documents were erased since the export began: the step that is run again writes the files anew. */
const nothingErasedSince = (tenant: Tenant, { projectId, erasuresVersion: version = 0 }: ExportRecord): Write => ({
  check: erasureKey.ledger(tenant, projectId),
  ...absentOr({ version }),
  onConditionFailed: () => new StaleReadError(),
});

/** A late run of a range may have stored other files than the one that counts. */
const assertCounted = ({ documents, shards }: ExportRecord, files: readonly ExportedFile[]): void => {
  const listed = files.reduce((sum, file) => sum + file.documents, 0);
  if (listed === documents) return;
  throw new JobFailure('COUNT_MISMATCH', 'The files have another number of documents than the ranges of the export', {
    listed,
    exported: documents,
    shards,
  });
};

/** An export of everything has as many documents as the backup, less those that are erased. */
const assertComplete = ({ collections, documents, documentsErased }: ExportRecord, stored: number): void => {
  if (!collections.includes('*') || documents + documentsErased === stored) return;
  throw new JobFailure('COUNT_MISMATCH', 'The export has another number of documents than the backup', {
    stored,
    exported: documents,
    erased: documentsErased,
  });
};

/** Importers read the files once they are decrypted. */
const sealedSuffix = /\.age$/;

const sealWhole = (sealer: AgeSealer, name: string, plain: Uint8Array): Buffer =>
  Buffer.concat([...sealer.seal(name, { digest: createHash('sha256').update(plain).digest(), pieces: [plain] })]);

const outputsOf = (files: readonly ExportedFile[]): readonly GoogleOutputs[] => {
  const outputs = new Map<string, GoogleOutputs>();
  for (const { name, collection, documents, bytes, plainBytes = bytes } of files) {
    const collectionId = collection ?? '';
    const before = outputs.get(collectionId) ?? { collectionId, outputs: [], documents: 0, bytes: 0 };
    outputs.set(collectionId, {
      collectionId,
      outputs: [...before.outputs, name.slice(name.lastIndexOf('/') + 1).replace(sealedSuffix, '')],
      documents: before.documents + documents,
      bytes: before.bytes + plainBytes,
    });
  }
  return [...outputs.values()].toSorted((a, b) => (a.collectionId < b.collectionId ? -1 : 1));
};

/** Every file is there with its size. What else a repeated run has left is deleted, because it may hold what was erased since. */
const assertStored = async (store: ObjectStore, files: readonly ExportedFile[]): Promise<void> => {
  const found = new Map<string, number>();
  for await (const { name, size } of store.list('')) found.set(name, size);
  const wrong = files.find(({ name, bytes }) => found.get(name) !== bytes);
  if (wrong)
    throw new JobFailure(
      'STORAGE_UPLOAD_ERROR',
      `${wrong.name}: the store has ${found.get(wrong.name) ?? 'no'} bytes instead of ${wrong.bytes}`,
      { lost: wrong.name },
    );
  const known = new Set([...files.map(({ name }) => name), manifestFile]);
  const strays = [...found.keys()].filter((name) => !known.has(name));
  if (strays.length > 0) await store.remove(strays);
};

/** Lists every file. It is written last: an export whose manifest is there is complete. */
const manifestOf = (
  record: ExportRecord,
  files: readonly ExportedFile[],
  { source, readTime }: { readonly source: string; readonly readTime: string },
): Buffer => {
  const { id, projectId, projectName, backupId, pointInTime, format, collections, columns, exactText, transform, transformed } =
    record;
  const { recipients } = record;
  const { documents, documentsErased, createdAt } = record;
  const manifest = {
    version: 1,
    export: {
      id,
      projectId,
      projectName,
      backupId,
      pointInTime,
      source,
      readTime,
      format,
      collections,
      columns,
      exactText,
      createdAt,
    },
    ...(record.lacks && { partial: record.lacks }),
    ...(recipients && { encryptedFor: recipients }),
    ...(transform && { masked: { rules: transform.rules.length, documents: transformed?.documents ?? 0 } }),
    documents,
    documentsErased,
    files: files.map(({ name, collection, documents: count, bytes, sha256: digest }) => ({
      name,
      collection,
      documents: count,
      bytes,
      sha256: digest,
    })),
  };
  return Buffer.from(`${JSON.stringify(manifest, undefined, 1)}\n`);
};

const daySeconds = 24 * 3_600;

interface Completion {
  readonly files: readonly ExportedFile[];
  readonly manifest: NonNullable<ExportRecord['manifest']>;
  readonly transformed: TransformCounts | undefined;
  readonly deps: ExportDeps;
}

const complete = async (
  tenant: Tenant,
  record: ExportRecord,
  { files, manifest, transformed, deps }: Completion,
): Promise<void> => {
  const now = deps.clock.now();
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const { retention } = record;
  const expiresAt = retention === undefined ? undefined : iso(after(now, retention * daySeconds));
  const ended = {
    ...enteredPhase('finished', now),
    status: 'completed',
    files: files.length,
    bytes,
    manifest,
    ...(transformed && { transformed }),
    ...(expiresAt !== undefined && { expiresAt }),
    completedAt: iso(now),
  } as const;
  await retryOnConflict({ attempts: 5, random: deps.random }, async () => {
    const organization = assertOrganizationActive(await get(organizationKey.organization(tenant)));
    const backup = await get(backupKey.backup(tenant, record.backupId ?? ''));
    const completed: ExportRecord = { ...withoutWait(record), ...ended };
    const { documents, documentsErased, id } = record;
    const details = { documents, documentsErased, files: files.length, bytes, manifest: manifest.sha256 };
    await commit([
      updateRunningExport(tenant, record, { set: { ...ended, waitingFor: undefined } }),
      nothingErasedSince(tenant, record),
      ...releaseExportHold(tenant, record, backup),
      // The reaper deletes the files then.
      expiresAt === undefined
        ? { remove: exportKey.running(tenant, id) }
        : update(exportKey.running(tenant, id), { set: { dueAt: expiresAt }, expected: { attempt: record.attempt } }),
      ...(record.transform || record.recipients ? [{ remove: maskSaltKey(tenant, id) }] : []),
      emitExportEvent(tenant, completed, { name: 'export.completed', organization, now }),
      exportAudit(tenant, record, { action: 'export.completed', details, now }),
    ]).catch(async (error: unknown) => {
      // The response of an earlier attempt was lost.
      if ((await get(exportKey.export(tenant, id)))?.status !== 'completed') throw error;
    });
  });
  emitMetric('an export was completed', { ExportsCompleted: 1, DocumentsExported: record.documents });
  log.info('export completed', { exportId: record.id, files: files.length, bytes });
  await bestEffort('delete the work items of the export', deleteWorkItems(workPartition(tenant, record.id)));
};
