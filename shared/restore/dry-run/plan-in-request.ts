/** Dry run within one request: compares the backup with the live target and writes nothing. */
import type * as z from 'zod';
import type { Archive } from '../../archive/index.ts';
import {
  type ArchiveDeps,
  type BackupRecord,
  costOf,
  type RequestCaller,
  requestArchiveDeps,
  sourceRequestTimeoutMs,
  withArchiveInRequest,
  withSourceInRequest,
} from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import type { DryRun } from '../../contract/models/restore.ts';
import { type FirestoreDatabase, probeSource, SourceError } from '../../firestore/index.ts';
import { after } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { emptyPlan } from '../check/check-progress.ts';
import { isCountMismatch } from '../check/completeness-check.ts';
import { DocumentWalk } from '../check/document-walk.ts';
import type { PlanCounts } from '../model/record.ts';
import type { StartRestoreOptions } from '../model/start-options.ts';
import { type RestoreDeps, restoreDeps } from '../restore-deps.ts';
import { findMissingUntil } from '../scope/find-missing.ts';
import { absenceKnowledge, restoreScope } from '../scope/restore-scope.ts';
import { splitIntoShards } from '../scope/split-into-shards.ts';
import { planUsers } from './plan-users.ts';

type Plan = z.input<typeof DryRun>;
type Changes = Plan['changes'];

export interface PlanRequest {
  readonly backup: BackupRecord;
  readonly target: ProjectRecord;
  readonly options: Pick<
    StartRestoreOptions,
    'mergeMode' | 'collections' | 'documents' | 'includeSubcollections' | 'includeAuthUsers'
  >;
}

/** The function times out after 20 s; opening the archive, the users and the response take the rest. */
const walkSeconds = 12;
/** Approximate limits of billed reads and of backup records per request. */
const readsMax = 50_000;
const recordsMax = 500_000;
const changesMax = 100;
/** The response is stored for idempotent retries in an item of 400 KB; a name may have 6 KB. */
const changesMaxBytes = 64 << 10;

/** Undefined if the plan does not fit into a request and needs a job. */
export const planInRequest = (
  caller: RequestCaller,
  request: PlanRequest,
  deps: RestoreDeps & ArchiveDeps = { ...restoreDeps, ...requestArchiveDeps, verifyHeaders: true },
): Promise<Plan | undefined> => {
  const { backup, target, options } = request;
  const signal = AbortSignal.timeout(sourceRequestTimeoutMs);
  return withArchiveInRequest(
    caller.tenant,
    backup,
    async ({ archive }) => {
      try {
        const plan = await withSourceInRequest(caller, target, deps, (source) =>
          planDocuments(archive, source, request, signal, deps),
        );
        if (!plan || !options.includeAuthUsers) return plan;
        const authUsers = await planUsers(archive, deps.openToolkit(caller.tenant, target), options.mergeMode, signal);
        return authUsers && { ...plan, authUsers: { ...authUsers } };
      } catch (error) {
        if (error instanceof SourceError && error.code === 'CANCELLED') return undefined;
        throw error;
      }
    },
    deps,
  );
};

/** Reads of a target that does not send every document. */
const attemptsMax = 3;

const planDocuments = async (
  archive: Archive,
  target: FirestoreDatabase,
  { backup, target: project, options }: PlanRequest,
  signal: AbortSignal,
  { clock }: RestoreDeps,
): Promise<Plan | undefined> => {
  const until = after(clock.now(), walkSeconds);
  const isTimeUp = (): boolean => clock.now() >= until;
  const { mergeMode, collections, documents } = options;
  const scope = restoreScope({ ...options, undoOf: null }, backup, documents?.paths);
  const knowsAbsence = absenceKnowledge(backup, archive);
  const notFound = await findMissingUntil(archive, { collections, given: documents?.given }, isTimeUp);
  if (!notFound) return undefined;
  const shards = await splitIntoShards(archive, scope);
  if (shards.reduce((sum, { expected }) => sum + expected, 0) > recordsMax) return undefined;
  const { maxReads = Number.POSITIVE_INFINITY } = project.settings;
  let readsBefore = 0;
  for (let attempt = 1; ; attempt++) {
    const { readTime } = await probeSource(target, signal);
    const reads = (): number => readsBefore + 1 + walk.reads;
    const walk = new DocumentWalk({
      archive,
      target,
      scope,
      knowsAbsence,
      bound: {},
      mode: mergeMode,
      isUndo: false,
      readTime,
      signal,
      isOver: () => isTimeUp() || reads() > Math.min(readsMax, maxReads),
    });
    try {
      const found = await collectChanges(walk);
      if (reads() > maxReads) throw readLimitExceeded(maxReads, reads());
      if (!found) return undefined;
      await walk.prove(signal);
      return {
        ...found.counts,
        notFound: [...notFound],
        dryRun: true,
        backupId: backup.id,
        projectId: backup.projectId,
        pointInTime: null,
        targetProjectId: project.id,
        mergeMode,
        readTime,
        changes: found.changes,
        cost: costOf(reads()),
      };
    } catch (error) {
      if (!isCountMismatch(error)) throw error;
      if (attempt === attemptsMax || isTimeUp()) return undefined;
      readsBefore = reads();
    }
  }
};

/** Undefined if the walk ended early. */
const collectChanges = async (
  walk: DocumentWalk,
): Promise<{ readonly counts: PlanCounts; readonly changes: Changes } | undefined> => {
  const counts: { -readonly [Action in keyof PlanCounts]: number } = { ...emptyPlan };
  const changes: Changes = [];
  let bytes = 0;
  const isWhole = await walk.run(({ name, action }) => {
    counts[action] += 1;
    if (action === 'unchanged' || changes.length === changesMax || bytes > changesMaxBytes) return undefined;
    bytes += name.length;
    changes.push({ path: name.toString(), action });
    return undefined;
  });
  return isWhole ? { counts, changes } : undefined;
};

const readLimitExceeded = (maxReads: number, reads: number): ApiError =>
  new ApiError(
    'CONFLICT',
    `The plan needs more reads of the target than the project's maxReads allows: ${reads} so far, ${maxReads} allowed`,
    { maxReads, reads },
  );
