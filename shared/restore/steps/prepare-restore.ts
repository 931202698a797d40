/**
 * The first step: the restore begins to run, the target is asked whether it lets us in, the backup is opened, or first made if it
 * is of a moment, and what is to be restored is cut into shards. Each phase stands on the record when it begins, so one that fails says where.
 */
import { type Archive, ArchiveError } from '../../archive/index.ts';
import { type BackupRecord, fetchManifest, openOwnManifest, openParts } from '../../backup/index.ts';
import { restorePhases } from '../../contract/models/restore.ts';
import { readDestination } from '../../destination/index.ts';
import { asTarget, probeSource } from '../../firestore/index.ts';

import { after, commit, epochSeconds, isConflict, type Tenant, transactionMax, type Write } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import { emptyPlan } from '../check/check-progress.ts';
import { journalBackup } from '../model/journal.ts';
import { type RestoreRecord, type RestoreShardRecord, restoreKey } from '../model/record.ts';
import { reopenShards } from '../model/reopen-shards.ts';
import { updateRunning, loadRunning, checkRunning } from '../model/running-restore.ts';
import { materializePoint } from '../point-in-time/materialize-point.ts';
import { withObjectNames, readSourceBackup, keyMismatchFailure } from '../read/open-for-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { findMissing } from '../scope/find-missing.ts';
import { loadRequestedDocuments } from '../scope/requested-documents.ts';
import { restoreScope } from '../scope/restore-scope.ts';
import { splitIntoShards } from '../scope/split-into-shards.ts';
import { beginRestore } from './begin-restore.ts';

/** The notes of a restore go when nothing can be resumed any more; this is for those that nothing could remove. */
const notesKeptSeconds = 30 * 24 * 3_600;
const probeReads = 1;
const probeMs = 60_000;

/** The numbers of the shards. May run again at any point: what an earlier run did is found and kept. */
export const prepareRestore = async (
  tenant: Tenant,
  restoreJobId: string,
  engine: RestoreDeps,
  attempt?: number,
): Promise<{ shards: readonly number[] }> => {
  await beginRestore(tenant, restoreJobId, engine, attempt);
  const { restore } = await loadRunning(tenant, restoreJobId, attempt);
  // What was planned by an earlier attempt is written to its end.
  if (restore.sealedAt !== undefined) await reopenShards(tenant, restore);
  const shards = restore.shards ?? (await plan(tenant, restore, engine));
  return { shards: Array.from({ length: shards }, (_, number) => number) };
};

const plan = async (tenant: Tenant, restore: RestoreRecord, engine: RestoreDeps): Promise<number> => {
  const entered = restore.phase === 'Initializing' ? await initialize(tenant, restore, engine) : restore;
  const begun = await materializePoint(tenant, entered, engine);
  const backup = await readSourceBackup(tenant, begun.backupId);
  const doors = withObjectNames(engine);
  const place = await readDestination(tenant, backup.storageDestination.id);
  const store = await doors.openStore(tenant, place, backup.path);
  try {
    const stored = await fetchManifest(store, backup.manifestDigest);
    await enter(tenant, begun, 'Decrypting');
    const dataKey = await doors.dataKeyOf(tenant, backup);
    const manifest = await openOwnManifest(stored, backup, dataKey).catch((error: unknown) => {
      throw (error instanceof ArchiveError && keyMismatchFailure(error)) || error;
    });
    await enter(tenant, begun, 'Decompressing');
    const { archive } = openParts(tenant, backup, { store, dataKey, manifest, doors });
    return await cut(tenant, begun, backup, archive, engine);
  } finally {
    store.close();
  }
};

/** The target's own time, and a key for the journal, which is another for every attempt. Of two runs at once the first counts. */
const initialize = async (tenant: Tenant, restore: RestoreRecord, engine: RestoreDeps): Promise<RestoreRecord> => {
  const { id, attempt, journal } = restore;
  const target = engine.openSource(tenant, await readProject(tenant, restore.targetProjectId));
  try {
    const { readTime } = await probeSource(target, AbortSignal.timeout(probeMs)).catch((error: unknown) => {
      throw asTarget(error);
    });
    const { keyFile, encryption, check } = await engine.newDataKey(tenant, journalBackup(tenant, restore).archive);
    const set = { phase: 'Downloading', since: readTime, journal: { ...journal, keyFile, encryption } };
    const expected = { phase: 'Initializing', attempt };
    await commit([updateRunning(tenant, id, { set, add: { reads: probeReads }, expected }), check]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  } finally {
    target.close();
  }
  const { restore: begun } = await loadRunning(tenant, id, attempt);
  if (!begun.journal.keyFile) throw new Error('what wraps keys was changed at the same moment');
  return begun;
};

/** Phases come in their order: a run that repeats what another did takes none back. */
const enter = async (tenant: Tenant, { id, attempt }: RestoreRecord, phase: RestoreRecord['phase']): Promise<void> => {
  const { restore } = await loadRunning(tenant, id, attempt);
  if (restorePhases.indexOf(restore.phase) >= restorePhases.indexOf(phase)) return;
  await commit([updateRunning(tenant, id, { set: { phase }, expected: { phase: restore.phase, attempt } })]);
};

/** The same archive and scope are cut the same way, so two runs at once write the same shards. */
const cut = async (
  tenant: Tenant,
  restore: RestoreRecord,
  backup: BackupRecord,
  archive: Archive,
  engine: RestoreDeps,
): Promise<number> => {
  const { id, attempt, collections } = restore;
  const { documents, given } = await loadRequestedDocuments(tenant, restore);
  const ranges = await splitIntoShards(archive, restoreScope(restore, backup, documents));
  const notFound = few(await findMissing(archive, { collections, ...(given && { given }) }));
  const users = restore.includeAuthUsers ? [{ bound: undefined, expected: archive.manifest.counts.users }] : [];
  // Users come first: `accounts/…` sorts before `projects/…`, so the pages of the journal follow the numbers of the shards.
  const ttl = epochSeconds(after(engine.clock.now(), notesKeptSeconds));
  const shards = [...users, ...ranges].map(({ bound, expected }, number): RestoreShardRecord => {
    const range = bound && { range: JSON.stringify(bound) };
    return { ...restoreKey.shard(tenant, id, number), number, ...range, expected, ...untouched, ttl };
  });
  const notPlanned = { attempt, shards: undefined };
  for (let start = 0; start < shards.length; start += transactionMax - 1)
    await commit([
      ...shards.slice(start, start + transactionMax - 1).map((put): Write => ({ put })),
      checkRunning(tenant, id, notPlanned),
    ]);
  const expected = shards.reduce((sum, shard) => sum + shard.expected, 0);
  const made = { phase: 'Validating', shards: shards.length, expected, notFound };
  await commit([updateRunning(tenant, id, { set: made, expected: notPlanned })]);
  return shards.length;
};

const untouched = {
  ...{ parts: 0, isChecked: false, checked: 0, plan: emptyPlan, collections: '[]', reads: 0 },
  ...{ runs: 0, isWritten: false, written: 0, deleted: 0, raced: 0, failed: 0, failures: [] },
} satisfies Partial<RestoreShardRecord>;

/** An item has room for 400 KB beside all else; a path alone may take 6. */
const notFoundBytesMax = 100_000;

const few = (paths: readonly string[]): readonly string[] => {
  let bytes = 0;
  return paths.filter((path) => {
    bytes += Buffer.byteLength(path);
    return bytes <= notFoundBytesMax;
  });
};
