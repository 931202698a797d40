/** Dry run within one request: compares the backup with the live target and writes nothing. */
import type * as z from 'zod/mini';
import type { Archive } from '../../archive/index.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import type { DryRun } from '../../contract/models/restore.ts';
import { type FirestoreDatabase, probeSource, SourceError } from '../../firestore/index.ts';
import { DocumentMasker, RuleSet, type TransformCounts, TransformTally } from '../../mask/index.ts';
import { after, secureRandomBytes } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import {
  type ArchiveDeps,
  type BackupRecord,
  costOf,
  type OpenArchive,
  type RequestCaller,
  requestArchiveDeps,
  sourceRequestTimeoutMs,
  withArchiveInRequest,
  withSourceInRequest,
} from '../../stored-backup/index.ts';
import type { PlanCounts, PlannedDeletions } from '../model/record.ts';
import type { StartRestoreOptions } from '../model/start-options.ts';
import { emptyPlan, isEmptyPlan } from '../plan/check-progress.ts';
import { isCountMismatch } from '../plan/completeness-check.ts';
import { DeletionSet } from '../plan/deletions.ts';
import { DocumentWalk } from '../plan/document-walk.ts';
import { type RestoreDeps, restoreDeps } from '../restore-deps.ts';
import { findMissing } from '../scope/find-missing.ts';
import { missingCollectionsOf } from '../scope/missing-collections.ts';
import { absenceKnowledge, type RestoreScope, restoreScope } from '../scope/restore-scope.ts';
import { splitIntoShards } from '../scope/split-into-shards.ts';
import { namesNotFound } from '../start/assert-names-found.ts';
import { assertAllMatched } from '../start/assert-rules-match.ts';
import { inspectRules } from '../start/inspect-rules.ts';
import { maskedTargetReason, mayBeSameDatabase } from '../transform/masked-target.ts';
import type { RestoreTransform } from '../transform/restore-transform.ts';
import { ruleMatches, transformSummary } from '../transform/transform-view.ts';
import { planUsers } from './plan-users.ts';

type Plan = z.input<typeof DryRun>;
type Changes = Plan['changes'];

export interface PlanRequest {
  readonly backup: BackupRecord;
  readonly target: ProjectRecord;
  readonly options: Pick<
    StartRestoreOptions,
    'mergeMode' | 'collections' | 'documents' | 'includeSubcollections' | 'includeAuthUsers' | 'transform'
  >;
}

/** The function times out after 20 s; opening the archive, the users and the response take the rest. */
const walkSeconds = 12;
const previewSeconds = 2;
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
  return withArchiveInRequest(caller.tenant, {
    backup,
    work: async ({ archive, erasures }) => {
      try {
        const plan = await withSourceInRequest(caller, {
          project: target,
          deps,
          work: (source) => planDocuments({ archive, erasures }, { target: source, request, signal, deps }),
        });
        if (!plan || !options.includeAuthUsers) return plan;
        const authUsers = await planUsers(archive, {
          toolkit: deps.openToolkit(caller.tenant, target),
          mode: options.mergeMode,
          signal,
        });
        return authUsers && { ...plan, authUsers: { ...authUsers } };
      } catch (error) {
        if (error instanceof SourceError && error.code === 'CANCELLED') return undefined;
        throw error;
      }
    },
    deps,
  });
};

/** Reads of a target that does not send every document. */
const attemptsMax = 3;

const planDocuments = async (
  { archive, erasures }: Pick<OpenArchive, 'archive' | 'erasures'>,
  {
    target,
    request: { backup, target: project, options },
    signal,
    deps: { clock },
  }: {
    readonly target: FirestoreDatabase;
    readonly request: PlanRequest;
    readonly signal: AbortSignal;
    readonly deps: RestoreDeps;
  },
): Promise<Plan | undefined> => {
  const until = after(clock.now(), walkSeconds);
  const isTimeUp = (): boolean => clock.now() >= until;
  const { mergeMode, documents, transform } = options;
  if (transform && mayBeSameDatabase(archive.manifest.source, target.database))
    throw invalid('targetProjectId', maskedTargetReason);
  const scope = restoreScope({ ...options, undoOf: null }, backup, documents?.paths);
  const knowsAbsence = absenceKnowledge(backup, archive);
  const planned = { scope, to: target.database, isOver: () => clock.now() >= after(until, previewSeconds) };
  const names = await findMissing(archive, { ...options, given: documents?.given }, isTimeUp);
  if (!names) return undefined;
  const { missing, nothingFound } = names;
  if (nothingFound && mergeMode !== 'rollback') throw namesNotFound(nothingFound);
  const shards = await splitIntoShards(archive, scope);
  if (shards.reduce((sum, { expected }) => sum + expected, 0) > recordsMax) return undefined;
  const { maxReads = Number.POSITIVE_INFINITY } = project.settings;
  let readsBefore = 0;
  for (let attempt = 1; ; attempt++) {
    const { readTime } = await probeSource(target, signal);
    let documentsErased = 0;
    const reads = (): number => readsBefore + 1 + walk.reads;
    const walk = new DocumentWalk({
      archive,
      target,
      scope,
      knowsAbsence,
      bound: {},
      mode: mergeMode,
      masker: transform && new DocumentMasker(new RuleSet(transform.rules), secureRandomBytes(32)),
      isUndo: false,
      readTime,
      signal,
      hidesPath: erasures && ((path) => erasures.hidesPath(path)),
      onErased: () => {
        documentsErased += 1;
      },
      isOver: () => isTimeUp() || reads() > Math.min(readsMax, maxReads),
    });
    try {
      const found = await collectChanges(walk, transform?.rules.length ?? 0);
      if (reads() > maxReads) throw readLimitExceeded(maxReads, reads());
      if (!found) return undefined;
      await walk.prove(signal);
      if (nothingFound && isEmptyPlan(found.counts)) throw namesNotFound(nothingFound);
      if (transform) assertAllMatched(transform, found.transformed);
      return {
        ...found.counts,
        documentsErased,
        deleteDigest: found.deleteDigest,
        deletions: [...found.deletions],
        ...missing,
        unknownCollections: [...missing.unknownCollections],
        notFound: [...missing.notFound],
        dryRun: true,
        backupId: backup.id,
        projectId: backup.projectId,
        pointInTime: null,
        partial: missingCollectionsOf(backup, options) ?? null,
        diverged: null,
        targetProjectId: project.id,
        mergeMode,
        readTime,
        changes: found.changes,
        ...(transform && (await planTransform(archive, { ...planned, transform, counts: found.transformed }))),
        cost: costOf(reads()),
      };
    } catch (error) {
      if (!isCountMismatch(error)) throw error;
      if (attempt === attemptsMax || isTimeUp()) return undefined;
      readsBefore = reads();
    }
  }
};

interface CollectedChanges extends PlannedDeletions {
  readonly counts: PlanCounts;
  readonly changes: Changes;
  readonly transformed: TransformCounts;
}

/** Undefined if the walk ended early. */
const collectChanges = async (walk: DocumentWalk, rules: number): Promise<CollectedChanges | undefined> => {
  const counts: { -readonly [Action in keyof PlanCounts]: number } = { ...emptyPlan };
  const changes: Changes = [];
  const deletions = new DeletionSet();
  const tally = new TransformTally(rules);
  let bytes = 0;
  const isWhole = await walk.run(({ name, action, masked }) => {
    counts[action] += 1;
    if (masked) tally.add(masked);
    if (action === 'delete') deletions.add(name.toString());
    if (action === 'unchanged' || changes.length === changesMax || bytes > changesMaxBytes) return undefined;
    bytes += name.length;
    changes.push({ path: name.toString(), action });
    return undefined;
  });
  return isWhole ? { counts, changes, ...deletions.planned, transformed: tally.counts } : undefined;
};

const readLimitExceeded = (maxReads: number, reads: number): ApiError =>
  new ApiError(
    'CONFLICT',
    `The plan needs more reads of the target than the project's maxReads allows: ${reads} so far, ${maxReads} allowed`,
    { maxReads, reads },
  );

interface PlannedTransform {
  readonly transform: RestoreTransform;
  /** Of all documents in scope. */
  readonly counts: TransformCounts;
  readonly scope: RestoreScope;
  readonly to: string;
  readonly isOver: () => boolean;
}

/** What a dry run shows of a masked copy: the counts, and ten documents before and after. */
const planTransform = async (
  archive: Archive,
  { transform, counts, scope, to, isOver }: PlannedTransform,
): Promise<Pick<z.input<typeof DryRun>, 'transform' | 'ruleMatches' | 'transformPreview'>> => {
  const { preview } = await inspectRules(archive, { transform, scope, to, isOver, previewed: counts.documents });
  return {
    transform: transformSummary(transform, counts),
    ruleMatches: ruleMatches(transform, counts),
    transformPreview: [...preview],
  };
};
