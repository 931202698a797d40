/** What a restore would do, told within the call that asks: the target is looked at as it is, and nothing is written anywhere. */
import type * as z from 'zod';
import type { Archive } from '../../archive/index.ts';
import {
  type BackupRecord,
  costOf,
  type Doors,
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
import { DocumentWalk } from '../check/document-walk.ts';
import { isCountMismatch } from '../check/prove-absence.ts';
import type { PlanCounts } from '../model/record.ts';
import type { StartRestoreOptions } from '../model/start-options.ts';
import { type RestoreDeps, restoreDeps } from '../restore-deps.ts';
import { findMissingUntil } from '../scope/find-missing.ts';
import { absenceKnowledge, restoreScope } from '../scope/restore-scope.ts';
import { splitIntoShards } from '../scope/split-into-shards.ts';
import { planUsers } from './plan-users.ts';

type Planned = z.input<typeof DryRun>;
type Changes = Planned['changes'];

export interface PlanRequest {
  readonly backup: BackupRecord;
  readonly target: ProjectRecord;
  readonly options: Pick<
    StartRestoreOptions,
    'mergeMode' | 'collections' | 'documents' | 'includeSubcollections' | 'includeAuthUsers'
  >;
}

/** The function ends after 20 s; opening, the users and the answer take some of them. */
const walkSeconds = 12;
/** What one call may be billed as, about, and may read of a backup. */
const readsMax = 50_000;
const recordsMax = 500_000;
const changesMax = 100;
/** An answer that is kept for a repeated call has room for 400 KB, and a name may have 6. */
const changesMaxBytes = 64 << 10;

/** Undefined if there is more to look at than fits into a call: then it takes a job. */
export const planInRequest = (
  asker: RequestCaller,
  asked: PlanRequest,
  doors: RestoreDeps & Doors = { ...restoreDeps, ...requestArchiveDeps, provesHeaders: true },
): Promise<Planned | undefined> => {
  const { backup, target, options: wish } = asked;
  const signal = AbortSignal.timeout(sourceRequestTimeoutMs);
  return withArchiveInRequest(
    asker.tenant,
    backup,
    async ({ archive }) => {
      try {
        const planned = await withSourceInRequest(asker, target, doors, (source) =>
          planDocuments(archive, source, asked, signal, doors),
        );
        if (!planned || !options.includeAuthUsers) return planned;
        const authUsers = await planUsers(archive, doors.openToolkit(asker.tenant, target), options.mergeMode, signal);
        return authUsers && { ...planned, authUsers: { ...authUsers } };
      } catch (error) {
        if (error instanceof SourceError && error.code === 'CANCELLED') return undefined;
        throw error;
      }
    },
    doors,
  );
};

/** A target that does not send all it has is read again, as often as there is time. */
const triesMax = 3;

const planDocuments = async (
  archive: Archive,
  target: FirestoreDatabase,
  { backup, target: project, options: wish }: PlanRequest,
  signal: AbortSignal,
  { clock }: RestoreDeps,
): Promise<Planned | undefined> => {
  const until = after(clock.now(), walkSeconds);
  const isLate = (): boolean => clock.now() >= until;
  const { mergeMode, collections, documents } = options;
  const scope = restoreScope({ ...options, undoOf: null }, backup, documents?.paths);
  const knows = absenceKnowledge(backup, archive);
  const notFound = await findMissingUntil(archive, { collections, given: documents?.given }, isLate);
  if (!notFound) return undefined;
  const cuts = await splitIntoShards(archive, scope);
  if (cuts.reduce((sum, { expected }) => sum + expected, 0) > recordsMax) return undefined;
  const { maxReads = Number.POSITIVE_INFINITY } = project.settings;
  let readsBefore = 0;
  for (let tries = 1; ; tries++) {
    const { readTime } = await probeSource(target, signal);
    const readsOf = (): number => readsBefore + 1 + walk.reads;
    const isOver = (): boolean => isLate() || readsOf() > Math.min(readsMax, maxReads);
    const options = { archive, target, scope, knows, bound: {}, mode: mergeMode, isUndo: false, readTime, signal, isOver };
    const walk = new DocumentWalk(options);
    try {
      const found = await walked(walk);
      if (readsOf() > maxReads) throw tooManyReads(maxReads, readsOf());
      if (!found) return undefined;
      await walk.prove(signal);
      return {
        ...{ ...found.counts, notFound: [...notFound], dryRun: true, backupId: backup.id, projectId: backup.projectId },
        pointInTime: null,
        ...{ targetProjectId: project.id, mergeMode, readTime, changes: found.changes, cost: costOf(readsOf()) },
      };
    } catch (error) {
      if (!isCountMismatch(error)) throw error;
      if (tries === triesMax || isLate()) return undefined;
      readsBefore = readsOf();
    }
  }
};

/** Undefined if it was over before its end. */
const walked = async (walk: DocumentWalk): Promise<{ readonly counts: PlanCounts; readonly changes: Changes } | undefined> => {
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

const tooManyReads = (maxReads: number, reads: number): ApiError =>
  new ApiError(
    'CONFLICT',
    `The plan would read more documents of the target than maxReads of its project allows: ${reads} so far, ${maxReads} are allowed`,
    { maxReads, reads },
  );
