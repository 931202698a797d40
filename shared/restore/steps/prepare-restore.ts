/**
 * The first step: begins the restore, checks access to the target, builds the backup of a point-in-time restore, opens the
 * backup, and splits the scope into shards. Each phase is recorded when it starts, so that a failure shows where it happened.
 */
import { type Archive, ArchiveError } from '../../archive/index.ts';
import { restorePhases } from '../../contract/job-enums.ts';
import { readDestination } from '../../destination/index.ts';
import { asTargetError, probeSource } from '../../firestore/index.ts';
import { JobFailure, phaseEntry } from '../../job/index.ts';
import {
  after,
  commit,
  epochSeconds,
  isConflict,
  omitUndefined,
  type Tenant,
  transactionMax,
  type Write,
} from '../../platform/index.ts';
import { databaseName, readProject } from '../../project/index.ts';
import { type BackupRecord, fetchManifest, filterFor, openOwnManifest, openWithManifest } from '../../stored-backup/index.ts';
import { journalBackup } from '../model/journal.ts';
import { newMaskSalt } from '../model/mask-salt.ts';
import { type RestoreRecord, type RestoreShardRecord, restoreKey } from '../model/record.ts';
import { reopenShards } from '../model/reopen-shards.ts';
import { checkRunning, loadRunning, type RestoreAttempt, updateRunning } from '../model/running-restore.ts';
import { noWrites } from '../model/shard-totals.ts';
import { emptyPlan } from '../plan/check-progress.ts';
import { inspectBackup } from '../plan/inspect-backup.ts';
import { materializePoint } from '../point-in-time/materialize-point.ts';
import { keyMismatchFailure, readSourceBackup, withObjectNames } from '../read/open-for-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { withRestoreStep } from '../run/with-restore-step.ts';
import { findMissing } from '../scope/find-missing.ts';
import { loadRequestedDocuments } from '../scope/requested-documents.ts';
import { restoreScope } from '../scope/restore-scope.ts';
import { splitIntoShards } from '../scope/split-into-shards.ts';
import { maskedTargetReason, mayBeSameDatabase } from '../transform/masked-target.ts';
import { beginRestore } from './begin-restore.ts';

/** Expiry of work items that clean-up never deleted. */
const workItemsTtlSeconds = 30 * 24 * 3_600;
const probeReads = 1;
const probeMs = 60_000;

/** Returns the numbers of the shards. Idempotent: a repeated run keeps what an earlier one did. */
export const prepareRestore = async (step: RestoreAttempt, deps: RestoreDeps): Promise<{ shards: readonly number[] }> => {
  const { tenant } = step;
  await beginRestore(step, deps);
  return withRestoreStep(step, deps, async (run) => {
    const { restore } = run;
    // The plan of an earlier attempt is written to its end.
    if (restore.sealedAt !== undefined) await reopenShards(tenant, restore);
    const shards = restore.shards ?? (await plan(tenant, restore, run.deps));
    return { shards: Array.from({ length: shards }, (_, number) => number) };
  });
};

const plan = async (tenant: Tenant, restore: RestoreRecord, deps: RestoreDeps): Promise<number> => {
  const initialized = restore.phase === 'Initializing' ? await initialize(tenant, restore, deps) : restore;
  const ready = await materializePoint(tenant, initialized, deps);
  const backup = await readSourceBackup(tenant, ready.backupId);
  const archiveDeps = withObjectNames(deps);
  const destination = await readDestination(tenant, backup.storageDestination.id);
  const store = await archiveDeps.openStore(tenant, destination, backup.path);
  try {
    const stored = await fetchManifest(store, backup.manifestDigest);
    await enterPhase(tenant, { restore: ready, phase: 'Decrypting', now: deps.clock.now() });
    const dataKey = await archiveDeps.dataKeyOf(tenant, backup);
    const manifest = await openOwnManifest(stored, backup, dataKey).catch((error: unknown) => {
      throw (error instanceof ArchiveError && keyMismatchFailure(error)) || error;
    });
    await assertOtherTarget(tenant, ready, manifest.source);
    await enterPhase(tenant, { restore: ready, phase: 'Decompressing', now: deps.clock.now() });
    await inspectBackup(tenant, { restore: ready, opened: { backup, dataKey, manifest }, deps });
    const { archive } = openWithManifest(tenant, backup, {
      store,
      dataKey,
      manifest,
      erasures: await filterFor(tenant, { backup, manifest, deps: archiveDeps }),
      deps: archiveDeps,
    });
    return await createShards(tenant, ready, { backup, archive, now: deps.clock.now() });
  } finally {
    store.close();
  }
};

/** A request does not know the database of a backup whose project is no longer connected. */
const assertOtherTarget = async (
  tenant: Tenant,
  { transform, targetProjectId }: RestoreRecord,
  source: string,
): Promise<void> => {
  if (transform && mayBeSameDatabase(databaseName(await readProject(tenant, targetProjectId)), source))
    throw new JobFailure('TRANSFORM_INVALID', `targetProjectId ${maskedTargetReason}. Nothing was written`);
};

/** Records the target's time and a new data key for the attempt's journal. Of two concurrent runs the first wins. */
const initialize = async (tenant: Tenant, restore: RestoreRecord, deps: RestoreDeps): Promise<RestoreRecord> => {
  const { id, attempt, journal } = restore;
  const target = deps.openSource(tenant, await readProject(tenant, restore.targetProjectId));
  try {
    const { readTime } = await probeSource(target, AbortSignal.timeout(probeMs)).catch((error: unknown) => {
      throw asTargetError(error);
    });
    const { keyFile, encryption, check } = await deps.newDataKey(tenant, journalBackup(tenant, restore).archive);
    const set = { phase: 'Downloading', since: readTime, journal: { ...journal, keyFile, encryption } };
    const expected = { phase: 'Initializing', attempt };
    const now = deps.clock.now();
    const salt = newMaskSalt(tenant, restore, now);
    const append = { timeline: [phaseEntry('Downloading', now)] };
    await commit([updateRunning(tenant, id, { set, add: { reads: probeReads }, append, expected }), check, ...salt]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  } finally {
    target.close();
  }
  const { restore: initialized } = await loadRunning({ tenant, restoreJobId: id, attempt });
  if (!initialized.journal.keyFile) throw new Error('the encryption settings changed at the same time');
  return initialized;
};

/** Phases only advance, even if a run is repeated. */
const enterPhase = async (
  tenant: Tenant,
  entered: { readonly restore: RestoreRecord; readonly phase: RestoreRecord['phase']; readonly now: Date },
): Promise<void> => {
  const { phase, now } = entered;
  const { id, attempt } = entered.restore;
  const { restore } = await loadRunning({ tenant, restoreJobId: id, attempt });
  if (restorePhases.indexOf(restore.phase) >= restorePhases.indexOf(phase)) return;
  await commit([
    updateRunning(tenant, id, {
      set: { phase, waitingFor: undefined },
      append: { timeline: [phaseEntry(phase, now)] },
      expected: { phase: restore.phase, attempt },
    }),
  ]);
};

/** Deterministic for an archive and a scope, so two concurrent runs write the same shards. */
const createShards = async (
  tenant: Tenant,
  restore: RestoreRecord,
  { backup, archive, now }: { readonly backup: BackupRecord; readonly archive: Archive; readonly now: Date },
): Promise<number> => {
  const { id, attempt, mergeMode } = restore;
  const { documents, given } = await loadRequestedDocuments(tenant, restore);
  const ranges = await splitIntoShards(archive, restoreScope(restore, backup, documents));
  const { missing, nothingFound } = (await findMissing(archive, { ...restore, given })) ?? {};
  if (nothingFound && mergeMode !== 'rollback')
    throw new JobFailure(nothingFound.code, nothingFound.message, nothingFound.details);
  const users = restore.includeAuthUsers ? [{ bound: undefined, expected: archive.manifest.counts.users }] : [];
  const ttl = epochSeconds(after(now, workItemsTtlSeconds));
  // Users first: `accounts/…` sorts before `projects/…`, and the journal's pages follow the shard numbers.
  const shards = [...users, ...ranges].map(
    ({ bound, expected }, number): RestoreShardRecord => ({
      ...restoreKey.shard(tenant, id, number),
      number,
      ...omitUndefined({ range: bound && JSON.stringify(bound) }),
      expected,
      ...initialShardFields,
      ttl,
    }),
  );
  const notPlanned = { attempt, shards: undefined };
  for (let start = 0; start < shards.length; start += transactionMax - 1)
    await commit([
      ...shards.slice(start, start + transactionMax - 1).map((put): Write => ({ put })),
      checkRunning(tenant, id, notPlanned),
    ]);
  const expected = shards.reduce((sum, shard) => sum + shard.expected, 0);
  const planned = { phase: 'Validating', shards: shards.length, expected, ...missing, nothingFound, waitingFor: undefined };
  const append = { timeline: [phaseEntry('Validating', now)] };
  await commit([updateRunning(tenant, id, { set: planned, append, expected: notPlanned })]);
  return shards.length;
};

const initialShardFields = {
  parts: 0,
  isChecked: false,
  checked: 0,
  plan: emptyPlan,
  collections: '[]',
  reads: 0,
  runs: 0,
  isWritten: false,
  ...noWrites,
  failures: [],
} satisfies Partial<RestoreShardRecord>;
