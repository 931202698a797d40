/** Ends a run: signs and stores its evidence, then records the outcome in one transaction. */
import { hasWrittenAll, writtenDocuments } from '../../archive/index.ts';
import { auditNote, systemAudit } from '../../audit/index.ts';
import { restoreTestEvents } from '../../contract/event-data/restore-test-events.ts';
import { type DestinationRecord, defaultDestination, readDestination } from '../../destination/index.ts';
import { emit } from '../../event/index.ts';
import { JobFailure } from '../../job/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { commit, env, getAll, iso, log, retryOnConflict, set, type Tenant, type Write } from '../../platform/index.ts';
import { databaseName, type ProjectRecord, projectKey } from '../../project/index.ts';
import { type BackupRecord, backupKey } from '../../stored-backup/index.ts';
import { evidencePath } from '../evidence/store-evidence.ts';
import { type RestoreTestRecord, type RunRecord, restoreTestKey } from '../model/record.ts';
import { runData, runEvent } from '../model/restore-test-view.ts';
import { phaseAttributes, type RunContext, type RunProgress, setRun } from './run-writes.ts';

interface EndContext {
  readonly project: ProjectRecord | undefined;
  readonly organization: OrganizationRecord | undefined;
  readonly plan: RestoreTestRecord | undefined;
  readonly backup: BackupRecord | undefined;
}

const loadEnd = async (tenant: Tenant, run: RunRecord): Promise<EndContext> => {
  const [project, organization, plan, backup] = await getAll([
    projectKey.project(tenant, run.projectId),
    organizationKey.organization(tenant),
    restoreTestKey.plan(tenant, run.restoreTestId),
    run.backupId === null ? undefined : backupKey.backup(tenant, run.backupId),
  ]);
  return { project, organization, plan, backup };
};

/** A run whose evidence cannot be stored has failed, whatever it found. */
export const recordRun = async (context: RunContext): Promise<RunProgress> => {
  const { tenant, run } = context;
  const end = await loadEnd(tenant, run);
  const outcome = outcomeOf(run, context.deps.clock.now());
  const evidence = outcome.status === 'cancelled' ? null : await recordEvidence(context, end, outcome);
  if (outcome.status === 'passed' && !evidence?.evidence)
    throw new JobFailure('EVIDENCE_ERROR', 'there is no storage destination for it');
  return endRun(context, { ...outcome, ...evidence });
};

/** Every later step of the same run has the same end, so that its evidence has the same bytes. */
const outcomeOf = (run: RunRecord, now: Date): RunRecord => {
  const completedAt = run.begun.recording ?? iso(now);
  const { failure } = run;
  if (!failure) return { ...run, status: 'passed', phase: 'finished', completedAt, error: null };
  const status = failure.code === 'CANCELLED' ? 'cancelled' : 'failed';
  return { ...run, status, phase: 'finished', completedAt, error: { ...failure, details: failure.details ?? {} } };
};

const recordEvidence = async (
  { tenant, deps }: RunContext,
  { project, organization, backup }: EndContext,
  ended: RunRecord,
): Promise<Pick<RunRecord, 'evidence' | 'evidenceDestinationId'> | null> => {
  if (!organization) return null;
  const destination = await destinationOf(tenant, { organization, project, backup });
  // Without a backup and without a destination there is no place for evidence; such a run has failed anyway.
  if (!destination) return null;
  const store = await deps.openStore(tenant, destination, evidencePath(destination, ended.projectId));
  try {
    const collections = JSON.parse(ended.walk?.collections ?? '[]') as [string, number][];
    const evidence = await deps.storeEvidence(
      {
        run: runData(ended),
        organization: { id: organization.id, name: organization.name },
        source: project ? databaseName(project) : null,
        collections: collections.map(([id, documents]) => ({ id, documents })),
        service: { version: env('SERVICE_VERSION'), url: env('PUBLIC_URL') },
      },
      { destination, store, now: deps.clock.now() },
    );
    return { evidence, evidenceDestinationId: destination.id };
  } finally {
    store.close();
  }
};

const destinationOf = async (
  tenant: Tenant,
  {
    organization,
    project,
    backup,
  }: {
    readonly organization: OrganizationRecord;
    readonly project: ProjectRecord | undefined;
    readonly backup: BackupRecord | undefined;
  },
): Promise<DestinationRecord | undefined> => {
  if (backup) return readDestination(tenant, backup.storageDestination.id);
  if (!project) return undefined;
  return defaultDestination(tenant, organization, project).catch(() => undefined);
};

interface EndingRun extends Pick<RunContext, 'tenant' | 'run'> {
  readonly deps: Pick<RunContext['deps'], 'clock' | 'random'>;
}

/** The end of a run, its event, and the release of what it holds are one transaction. */
export const endRun = async ({ tenant, run, deps }: EndingRun, ended: RunRecord): Promise<RunProgress> => {
  await retryOnConflict({ attempts: 5, random: deps.random }, async () => {
    const end = await loadEnd(tenant, run);
    const now = deps.clock.now();
    await commit([
      setRun({ tenant, run }, endAttributes(run, ended, now)),
      { remove: restoreTestKey.running(tenant, run.id) },
      ...(run.isLocked ? releaseLocks(tenant, run) : []),
      ...releaseBackup(tenant, ended, end.backup),
      ...lastOutcome(tenant, end.plan, ended),
      ...lastProof(tenant, end.project, ended),
      ...endEvents(tenant, { context: end, run: ended, now }),
    ]);
  });
  log.info('a restore test has ended', { runId: run.id, status: ended.status, code: ended.error?.code });
  return 'done';
};

const endAttributes = (run: RunRecord, ended: RunRecord, now: Date): Partial<RunRecord> => ({
  ...phaseAttributes(run, 'finished', now),
  status: ended.status,
  completedAt: ended.completedAt,
  error: ended.error,
  removal: ended.removal,
  evidence: ended.evidence,
  ...(ended.evidenceDestinationId !== undefined && { evidenceDestinationId: ended.evidenceDestinationId }),
});

/** A lock that names another run belongs to that run. */
const releaseLocks = (tenant: Tenant, run: RunRecord): readonly Write[] =>
  locksOf(run).map((locked) => ({
    remove: restoreTestKey.lock(tenant, locked),
    condition: 'attribute_not_exists(pk) OR runId = :runId',
    values: { ':runId': run.id },
  }));

/** What a run has for itself. Two tests into one database would each take the documents of the other for those of the customer. */
export const locksOf = ({ projectId, target, targetDatabase }: RunRecord): readonly string[] => [
  projectId,
  ...(target ? [target.projectId] : []),
  ...(targetDatabase === undefined ? [] : [targetDatabase]),
];

/** A test that passed is noted on the backup. */
const releaseBackup = (
  tenant: Tenant,
  { isHeld, id, status, completedAt }: RunRecord,
  backup: BackupRecord | undefined,
): readonly Write[] => {
  if (!isHeld || !backup || (backup.restoring ?? 0) === 0) return [];
  const isPassed = status === 'passed';
  return [
    {
      update: backupKey.backup(tenant, backup.id),
      expression: isPassed ? 'SET restoreTestedAt = :at, restoreTestedBy = :by ADD restoring :less' : 'ADD restoring :less',
      condition: 'restoring > :none',
      values: { ':less': -1, ':none': 0, ...(isPassed && { ':at': completedAt, ':by': id }) },
    },
  ];
};

/** Of runs that began together, one that failed is shown. */
const lastOutcome = (tenant: Tenant, plan: RestoreTestRecord | undefined, ended: RunRecord): readonly Write[] => {
  if (!plan) return [];
  const { status, error, completedAt, createdAt, id } = ended;
  const before = plan.lastOutcome;
  if (status === 'passed' && before?.status === 'failed' && before.at >= createdAt) return [];
  const lastOutcome = {
    status,
    at: completedAt,
    runId: id,
    error: error && { code: error.code, message: error.message },
  };
  return [set(restoreTestKey.plan(tenant, plan.id), { lastOutcome }, { expected: { revision: plan.revision } })];
};

/** A test that passed is noted on its project, for the overview. */
const lastProof = (tenant: Tenant, project: ProjectRecord | undefined, ended: RunRecord): readonly Write[] => {
  const { id: runId, status, backupId, completedAt: at, counts } = ended;
  if (!project || status !== 'passed' || at === null || !hasWrittenAll(ended)) return [];
  const documents = counts?.documents ?? null;
  const lastRestoreTest: ProjectRecord['lastRestoreTest'] = {
    runId,
    backupId,
    at,
    documents,
    documentsWritten: writtenDocuments(ended),
  };
  return [set(projectKey.project(tenant, project.id), { lastRestoreTest })];
};

const endEvents = (
  tenant: Tenant,
  { context: { project, organization }, run, now }: { readonly context: EndContext; readonly run: RunRecord; readonly now: Date },
): readonly Write[] => {
  const { id, restoreTestId, projectId, projectName, status, backupId, error } = run;
  const note = auditNote(tenant, {
    type: 'restore_test',
    id: restoreTestId,
    details: {
      runId: id,
      projectId,
      backupId,
      ...(error && { code: error.code, message: error.message }),
      ...(run.evidence && { evidence: run.evidence.object, digest: run.evidence.digest }),
    },
  });
  const action = status === 'passed' ? 'restore_test.passed' : 'restore_test.failed';
  if (!organization || organization.deletedAt !== undefined) return [systemAudit('restore-test', { action, note, now })];
  const shown = project ?? { id: projectId, name: projectName, sourceProjectId: '' };
  const data = runEvent(run, shown, organization);
  return [
    systemAudit('restore-test', { action, note, now }),
    error
      ? emit(tenant, {
          schemas: restoreTestEvents,
          name: 'restore_test.failed',
          data: { ...data, restoreTest: { ...data.restoreTest, error } },
          now,
        })
      : emit(tenant, { schemas: restoreTestEvents, name: 'restore_test.completed', data, now }),
  ];
};
