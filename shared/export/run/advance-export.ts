/** Continues an export by one step. All that a step learns is on the record, so that the next one may run anywhere. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { erasureKey } from '../../erasure/index.ts';
import { type FoundTable, TableSchemas } from '../../export-format/index.ts';
import { assertOrganizationActive, JobFailure, phaseEntry, timelineAppend } from '../../job/index.ts';
import { organizationKey, whileActive } from '../../organization/index.ts';
import {
  after,
  bestEffort,
  commit,
  epochSeconds,
  get,
  isConflict,
  iso,
  StaleReadError,
  type Tenant,
  transactionMax,
  type Write,
} from '../../platform/index.ts';
import { buildPointBackup, findMissing, getRestore, holdBackup } from '../../restore/index.ts';
import { openArchive, readBackup } from '../../stored-backup/index.ts';
import { endExport } from '../end/end-export.ts';
import { type ExportDeps, exportSizes } from '../export-deps.ts';
import { emitExportEvent, exportAudit } from '../model/export-notes.ts';
import { isActiveExport, readsColumns } from '../model/export-view.ts';
import { type ExportRecord, type ExportShardRecord, exportKey, workItemsSeconds } from '../model/record.ts';
import { type ExportAttempt, enteredPhase, updateRunningExport } from '../model/running-export.ts';
import { readText, storeText } from '../model/stored-text.ts';
import { readExported } from './export-shard.ts';
import { finishExport } from './finish-export.ts';
import { exportScope, splitExport } from './split-export.ts';

/** `again`: the next step follows at once. `wait`: something else must happen first. `map`: workers handle all ranges. */
export type ExportProgress = 'again' | 'wait' | 'done' | { readonly map: number };

interface StepContext {
  readonly tenant: Tenant;
  readonly record: ExportRecord;
  readonly deps: ExportDeps;
}

const phases: Readonly<Record<ExportRecord['phase'], (context: StepContext) => Promise<ExportProgress>>> = {
  queued: (context) => begin(context),
  building: (context) => awaitMoment(context),
  planning: (context) => plan(context),
  reading: (context) => joinColumns(context),
  writing: (context) => completeWriting(context),
  finishing: (context) => finish(context),
  finished: async () => 'done',
};

export const advanceExport = async (
  { tenant, exportId, attempt }: ExportAttempt,
  { error, deps }: { readonly error?: unknown; readonly deps: ExportDeps },
): Promise<ExportProgress> => {
  const record = await get(exportKey.export(tenant, exportId));
  if (!record || record.attempt !== attempt || !isActiveExport(record)) return 'done';
  if (error !== undefined || record.failure) {
    await endExport(tenant, record, { deps });
    return 'done';
  }
  return phases[record.phase]({ tenant, record, deps });
};

/** Enters a phase, unless another run has done so. */
const enter = async (
  { tenant, record, deps }: StepContext,
  {
    phase,
    attributes = {},
    writes = [],
  }: {
    readonly phase: ExportRecord['phase'];
    readonly attributes?: Partial<ExportRecord>;
    readonly writes?: readonly Write[];
  },
): Promise<ExportProgress> => {
  const now = deps.clock.now();
  const set = { ...attributes, ...enteredPhase(phase, now), waitingFor: undefined };
  await commit([updateRunningExport(tenant, record, { set, append: { timeline: [phaseEntry(phase, now)] } }), ...writes]);
  return 'again';
};

const begin = async ({ tenant, record, deps }: StepContext): Promise<ExportProgress> => {
  const now = deps.clock.now();
  const organization = assertOrganizationActive(await get(organizationKey.organization(tenant)));
  const phase = record.backupId === null ? ('building' as const) : ('planning' as const);
  const ledger = await get(erasureKey.ledger(tenant, record.projectId));
  const begun = { status: 'running', startedAt: iso(now), ...enteredPhase(phase, now) } as const;
  const { pk, sk, attempt } = record;
  const { pointInTime, storageDestination } = record;
  await commit([
    {
      update: { pk, sk },
      expression:
        'SET #status = :running, startedAt = :now, #phase = :phase, phaseSince = :now, erasuresVersion = :erasures, #timeline = :timeline',
      condition: '#status = :pending AND attempt = :attempt AND attribute_not_exists(failure)',
      names: { '#status': 'status', '#phase': 'phase', '#timeline': 'timeline' },
      values: {
        ':running': 'running',
        ':pending': 'pending',
        ':now': iso(now),
        ':phase': phase,
        ':attempt': attempt,
        ':erasures': ledger?.version ?? 0,
        ':timeline': [...(record.timeline ?? []), phaseEntry(phase, now)],
      },
    },
    whileActive(tenant),
    emitExportEvent(tenant, { ...record, ...begun }, { name: 'export.started', organization, now }),
    exportAudit(tenant, record, {
      action: 'export.started',
      details: { ...(pointInTime && { pointInTime }), storageDestinationId: storageDestination.id, attempt },
      now,
    }),
  ]);
  return 'again';
};

/** An export that waits for the project longer than this fails. */
const waitMaxSeconds = 24 * 3_600;

/** The job that builds the backup of the moment holds it until it ends; from then on the export does. */
const awaitMoment = async (context: StepContext): Promise<ExportProgress> => {
  const { tenant, record } = context;
  if (record.buildJobId === undefined) return startBuild(context);
  const job = await getRestore(tenant, record.buildJobId);
  if (job.status === 'pending' || job.status === 'running') return 'wait';
  if (job.status !== 'completed')
    throw new JobFailure(
      job.error?.code ?? 'INTERNAL_ERROR',
      job.error?.message ?? `The job that builds the backup is ${job.status}`,
      {
        restoreJobId: job.id,
      },
    );
  const { id, status, leaving } = await readBackup(tenant, job.backupId);
  if (status !== 'completed') throw new JobFailure('BACKUP_NOT_FOUND', 'The backup of the moment was deleted');
  if (leaving) return 'wait';
  return enter(context, {
    phase: 'planning',
    attributes: { backupId: id, isHeld: true },
    writes: [holdBackup(tenant, id)],
  });
};

const startBuild = async ({ tenant, record, deps }: StepContext): Promise<ExportProgress> => {
  const now = deps.clock.now();
  const { id, projectId, pointInTime, collections, phaseSince } = record;
  try {
    const createdBy = { type: 'system', id, email: null } as const;
    const build = { projectId, pointInTime: pointInTime ?? '', collections, createdBy, now, deps };
    const { restore, writes } = await buildPointBackup(tenant, build);
    const details = { backupId: restore.backupId, dryRun: true, exportId: id, pointInTime };
    const note = auditNote(tenant, { type: 'restore', id: restore.id, details });
    await commit([
      ...writes,
      updateRunningExport(tenant, record, { set: { buildJobId: restore.id } }),
      systemAudit('export-engine', { action: 'restore.created', note, now }),
    ]);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isBusy = error.code === 'JOB_IN_PROGRESS' || error.code === 'SERVICE_UNAVAILABLE' || error instanceof StaleReadError;
    if (isBusy && now >= after(new Date(phaseSince), waitMaxSeconds))
      throw new JobFailure('JOB_IN_PROGRESS', `${error.message}; the export has waited for a day`);
    if (isBusy) {
      if (error.code === 'JOB_IN_PROGRESS') await noteWait(tenant, record, { message: error.message, now });
      return 'wait';
    }
    // What a request tells its caller is judged here as what it was.
    if (error.cause instanceof Error) throw error.cause;
    if (error.code === 'CONFLICT') throw new JobFailure('CONFLICT', error.message, error.details);
    throw error;
  }
  return 'wait';
};

/** The timeline says once for what the build waits. */
const noteWait = async (
  tenant: Tenant,
  record: ExportRecord,
  { message, now }: { readonly message: string; readonly now: Date },
): Promise<void> => {
  const { phaseSince, timeline = [] } = record;
  if (timeline.some(({ kind, at }) => kind === 'waiting' && at >= phaseSince)) return;
  const entry = { at: iso(now), kind: 'waiting', message } as const;
  await bestEffort('note that the build waits', commit([updateRunningExport(tenant, record, timelineAppend(record, entry))]));
};

/** Splits the backup into ranges. The same backup is always split alike, so two concurrent runs write the same items. */
const plan = async (context: StepContext): Promise<ExportProgress> => {
  const { tenant, record, deps } = context;
  const backup = await readExported(tenant, record);
  const open = await openArchive(tenant, { backup, deps });
  try {
    const { collections, id } = record;
    const missing = await findMissing(open.archive, { collections, includeSubcollections: true });
    if (missing?.nothingFound) {
      const { code, message, details } = missing.nothingFound;
      throw new JobFailure(code, message, details);
    }
    const ranges = await splitExport(open.archive, exportScope(backup, collections), { ...exportSizes, ...deps.sizes });
    const ttl = epochSeconds(after(deps.clock.now(), workItemsSeconds));
    const shards = ranges.map(
      ({ bound, expected }, number): ExportShardRecord => ({
        ...exportKey.shard(tenant, id, number),
        number,
        range: JSON.stringify(bound),
        expected,
        ttl,
      }),
    );
    const whilePlanning = updateRunningExport(tenant, record, { set: { phaseSince: record.phaseSince } });
    for (let start = 0; start < shards.length; start += transactionMax - 1)
      await commit([...shards.slice(start, start + transactionMax - 1).map((put): Write => ({ put })), whilePlanning]);
    return await enter(context, {
      phase: readsColumns(record) ? 'reading' : 'writing',
      attributes: {
        shards: shards.length,
        expected: Math.min(
          open.archive.manifest.counts.documents,
          shards.reduce((sum, { expected }) => sum + expected, 0),
        ),
        unknownCollections: missing?.missing.unknownCollections.slice(0, 100) ?? [],
        unknownCollectionsCount: missing?.missing.unknownCollectionsCount ?? 0,
        ...(backup.lacks && { lacks: backup.lacks }),
      },
    });
  } finally {
    open.close();
  }
};

/** Joins what was found in all ranges, in their order, once all are read. */
const joinColumns = async (context: StepContext): Promise<ExportProgress> => {
  const { tenant, record, deps } = context;
  const { id, shards = 0, shardsRead } = record;
  if (shardsRead < shards) return { map: shards };
  const schemas = new TableSchemas();
  for (let number = 0; number < shards; number++)
    schemas.merge(await readText<readonly FoundTable[]>(tenant, id, { kind: 'COLUMNS', of: number }));
  await storeText(tenant, id, { kind: 'COLUMNS', of: 'all', value: schemas.found, now: deps.clock.now() });
  return enter(context, { phase: 'writing' });
};

const completeWriting = async (context: StepContext): Promise<ExportProgress> => {
  const { shards = 0, shardsWritten } = context.record;
  return shardsWritten < shards ? { map: shards } : enter(context, { phase: 'finishing' });
};

/** What was erased while the export ran may be in files that were written before: then all of them are written anew. */
const finish = async (context: StepContext): Promise<ExportProgress> => {
  const { tenant, record, deps } = context;
  const ledger = await get(erasureKey.ledger(tenant, record.projectId));
  const { version = 0 } = ledger ?? {};
  if (version > (record.erasuresVersion ?? 0)) return enter(context, { phase: 'planning', attributes: startedOver(version) });
  await finishExport(tenant, record, deps);
  return 'done';
};

const startedOver = (erasuresVersion: number): Partial<ExportRecord> => ({
  erasuresVersion,
  shardsRead: 0,
  shardsWritten: 0,
  documentsRead: 0,
  documents: 0,
  documentsErased: 0,
  files: 0,
  bytes: 0,
});

/** Another run of the same step was faster; the next one reads the record again. */
export const isStaleStep = (error: unknown): boolean => error instanceof StaleReadError || isConflict(error);
