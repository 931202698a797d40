/** Reads one range of the backup: to find the columns of its tables, or to write its files. */
import type { Archive } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { readDestination, StorageError } from '../../destination/index.ts';
import {
  type ExportRow,
  exportRow,
  FileNames,
  type FoundTable,
  type ScannedCounts,
  type ScannedSlot,
  scanRecords,
  TableSchemas,
  UnexportableError,
} from '../../export-format/index.ts';
import { intersection, type NameRange, restDocument } from '../../firestore/index.ts';
import { deriveMaskKey, JobFailure, markMoving, RunControl, withHeartbeat } from '../../job/index.ts';
import { DocumentMasker, RuleSet, TransformTally } from '../../mask/index.ts';
import { after, commit, get, isConflict, type Tenant, update } from '../../platform/index.ts';
import { type BackupRecord, openArchive, readBackup } from '../../stored-backup/index.ts';
import type { AgeSealer } from '../encrypt/age-sealer.ts';
import { type ExportDeps, type ExportSizes, exportSizes } from '../export-deps.ts';
import { readsColumns } from '../model/export-view.ts';
import { type ExportRecord, type ExportShardRecord, exportKey } from '../model/record.ts';
import { type ExportAttempt, loadRunningExport, updateRunningExport } from '../model/running-export.ts';
import { readText, storeText } from '../model/stored-text.ts';
import { assertDownloadFits } from './assert-download-fits.ts';
import { exportSecrets, type OpenedBackup } from './export-secrets.ts';
import { ObjectSink } from './object-sink.ts';
import { openSealer } from './open-sealer.ts';
import { openShardFiles } from './open-shard-files.ts';
import { exportScope } from './split-export.ts';

interface ShardRun {
  readonly tenant: Tenant;
  readonly record: ExportRecord;
  readonly shard: ExportShardRecord;
  readonly archive: Archive;
  readonly ranges: readonly NameRange[];
  readonly mask: ShardMask | undefined;
  readonly sealer: AgeSealer | undefined;
  readonly control: RunControl;
  readonly deps: ExportDeps;
  readonly sizes: ExportSizes;
}

/** A run ends before its Lambda does. */
const runSeconds = 870;

/** Throws once the export has ended, or the time of the run is over: a range is handled as a whole, so the next run begins it anew. */
const checkRun = (control: RunControl): void => {
  control.check();
  if (control.isYielding) throw new StorageError('unavailable', 'A range was not read and stored in the time of a run.');
};

/** Idempotent: a range that is done stays as it is. The record says which of the two is due. */
export const exportShard = async (step: ExportAttempt & { readonly shard: number }, deps: ExportDeps): Promise<void> => {
  const { tenant, exportId } = step;
  const record = await loadRunningExport(step);
  const shard = await get(exportKey.shard(tenant, exportId, step.shard));
  if (!shard) throw new Error(`there is no shard ${step.shard}`);
  const isReading = record.phase === 'reading';
  // A late run: ranges are planned anew, or all of them are done.
  if (!isReading && record.phase !== 'writing') return;
  if (isReading ? shard.isRead : shard.isWritten) return;
  assertDownloadFits(record, deps);
  const backup = await readExported(tenant, record);
  const open = await openArchive(tenant, { backup, deps: { ...deps, verifyHeaders: !isReading } });
  const control = new RunControl(after(deps.clock.now(), runSeconds), deps.clock);
  try {
    const checkRunning = async (now: Date): Promise<void> =>
      markMoving(exportKey.export(tenant, exportId), await loadRunningExport(step), now);
    await withHeartbeat({ checkRunning, control, clock: deps.clock }, async () => {
      const mask = await openMask(tenant, record, { backup, open });
      const sealer = await openSealer(tenant, record, { backup, open });
      const scope = exportScope(backup, record.collections);
      const ranges = intersection(scope, [JSON.parse(shard.range) as NameRange]);
      const sizes = { ...exportSizes, ...deps.sizes };
      const run: ShardRun = { tenant, record, shard, archive: open.archive, ranges, mask, sealer, control, deps, sizes };
      await (isReading ? readColumns(run) : writeFiles(run));
    });
  } catch (error) {
    throw control.explain(error) ?? error;
  } finally {
    control.close();
    open.close();
  }
};

/** An export holds its backup, so a missing one means that the organization is being deleted. */
export const readExported = async (tenant: Tenant, { backupId }: ExportRecord): Promise<BackupRecord> => {
  try {
    return await readBackup(tenant, backupId ?? '');
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'BACKUP_NOT_FOUND') throw error;
    throw new JobFailure('BACKUP_NOT_FOUND', 'The backup was deleted');
  }
};

/** Masks the documents of a range; the key is that of the whole export. */
class ShardMask {
  readonly tally: TransformTally;
  readonly #masker: DocumentMasker;

  constructor(rules: NonNullable<ExportRecord['transform']>['rules'], key: Buffer) {
    this.tally = new TransformTally(rules.length);
    this.#masker = new DocumentMasker(new RuleSet(rules), key);
  }

  apply(document: Uint8Array, path: string): Uint8Array {
    const masked = this.#masker.mask(document, path);
    this.tally.add(this.#masker.last);
    return masked;
  }
}

const openMask = async (tenant: Tenant, record: ExportRecord, opened: OpenedBackup): Promise<ShardMask | undefined> => {
  if (!record.transform) return undefined;
  const { dataKey, salt } = await exportSecrets(tenant, record, opened);
  return new ShardMask(record.transform.rules, deriveMaskKey(dataKey, salt));
};

/** Calls `each` with the documents of the range, masked, in name order. */
const scanRows = (
  { archive, ranges, mask, control }: ShardRun,
  each: (row: ExportRow, bytes: number) => Promise<void> | void,
): Promise<ScannedCounts> => {
  const root = archive.documentsRoot.slice(0, -1);
  const rowOf = ({ leaf, slot, path }: ScannedSlot): [ExportRow, number] => {
    const stored = leaf.content(slot);
    const document = mask ? mask.apply(stored, path) : stored;
    return [exportRow(restDocument(document), root), document.length];
  };
  return scanRecords(
    archive,
    { ranges, kind: 'document' },
    { each: (record) => each(...rowOf(record)), afterLeaf: () => checkRun(control) },
  );
};

const readColumns = async (run: ShardRun): Promise<void> => {
  const { tenant, record, shard, deps } = run;
  const schemas = new TableSchemas();
  const { found } = await scanRows(run, (row) => schemas.add(row));
  const value = schemas.found;
  await storeText(tenant, record.id, { kind: 'COLUMNS', of: shard.number, value, now: deps.clock.now() });
  await commitShard(run, { isRead: true }, { shardsRead: 1, documentsRead: found });
};

const writeFiles = async (run: ShardRun): Promise<void> => {
  const { tenant, record, shard, archive, control, mask, sealer, deps, sizes } = run;
  const schemas = new TableSchemas();
  if (readsColumns(record))
    schemas.merge(await readText<readonly FoundTable[]>(tenant, record.id, { kind: 'COLUMNS', of: 'all' }));
  const destination = await readDestination(tenant, record.storageDestination.id);
  const store = await deps.openStore(tenant, destination, record.path);
  try {
    const sink = new ObjectSink(store, sealer);
    const { fileBytes, bufferBytes } = sizes;
    const names = namesOf(archive);
    const files = openShardFiles(sink, { record, shard: shard.number, names, schemas, fileBytes });
    const check = (): void => checkRun(control);
    const { found, erased } = await scanRows(run, (row, bytes) => {
      files.add(row, bytes);
      while (sink.bytes > bufferBytes && !sink.hasEnded) files.endLargest();
      return sink.hasEnded ? sink.drain(check) : undefined;
    }).catch(throwUnexportable);
    files.finish();
    await sink.drain(check);
    const written = sink.files.reduce((sum, { documents }) => sum + documents, 0);
    if (written !== found)
      throw new JobFailure('COUNT_MISMATCH', 'The files have another number of documents than the range', { found, written });
    await storeText(tenant, record.id, { kind: 'FILES', of: shard.number, value: sink.files, now: deps.clock.now() });
    const bytes = sink.files.reduce((sum, file) => sum + file.bytes, 0);
    await commitShard(
      run,
      { isWritten: true, ...(mask && { transformed: mask.tally.counts }) },
      { shardsWritten: 1, documents: found, documentsErased: erased, files: sink.files.length, bytes },
    );
  } finally {
    store.close();
  }
};

/** Names of files depend on all ids, so that every range gives a table the same. */
export const namesOf = ({ manifest }: Pick<Archive, 'manifest'>): FileNames =>
  new FileNames(manifest.collections.map(({ id }) => id).toSorted());

const throwUnexportable = (error: unknown): never => {
  if (!(error instanceof UnexportableError)) throw error;
  // The path is a person's at times: it is not for the log.
  throw new JobFailure('CONFLICT', `A document cannot be exported in this format: ${error.message}`, { path: error.path });
};

/** Of two runs of a range the first counts. */
const commitShard = async (
  { tenant, record, shard, control }: ShardRun,
  set: Partial<ExportShardRecord>,
  add: Readonly<Record<string, number>>,
): Promise<void> => {
  control.check();
  const { erasuresVersion } = record;
  const [mark = ''] = Object.keys(set);
  try {
    await commit([
      update(exportKey.shard(tenant, record.id, shard.number), { set, expected: { [mark]: undefined } }),
      // A run that began before documents were erased does not count for one that leaves them out.
      updateRunningExport(tenant, record, { add, set: { waitingFor: undefined }, expected: { erasuresVersion } }),
    ]);
  } catch (error) {
    if (!isConflict(error)) throw error;
    const current = await get(exportKey.shard(tenant, record.id, shard.number));
    if (!current?.[mark]) throw error;
  }
};
