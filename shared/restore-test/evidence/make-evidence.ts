import { type Evidence, evidenceFormat, evidenceVersion } from '../../archive/index.ts';
import { differencesShownMax } from '../../contract/limits.ts';
import type { RestoreTestRun } from '../../contract/models/restore-test.ts';

/** A finished run, and what its view does not show. */
export interface TestedRun {
  readonly run: RestoreTestRun;
  readonly organization: { readonly id: string; readonly name: string };
  /** The database that was backed up, `projects/…/databases/…`, if known. */
  readonly source: string | null;
  /** The documents that were read, by collection id. */
  readonly collections: readonly { readonly id: string; readonly documents: number }[];
  readonly service: { readonly version: string; readonly url: string };
}

const collectionsMax = 1_000;

/** The evidence of a run that passed or failed. A pure function: the same run has the same evidence. */
export const makeEvidence = ({ run, organization, source, collections, service }: TestedRun): Evidence => {
  const { id, trigger, scheduledFor, startedAt, completedAt, createdBy, status, error, backup, choice, scope, target } = run;
  if (status !== 'passed' && status !== 'failed') throw new Error(`a run that is ${status} has no evidence`);
  if (startedAt === null || completedAt === null) throw new Error('a run without start and end has no evidence');
  const { index, source: live, target: restored } = run.comparisons ?? {};
  return {
    format: evidenceFormat,
    version: evidenceVersion,
    service: { version: service.version, url: service.url },
    organization: { id: organization.id, name: organization.name },
    project: { id: run.projectId, name: run.projectName, source },
    plan: { id: run.restoreTestId, name: run.name },
    run: {
      id,
      trigger,
      requestedBy: createdBy && { id: createdBy.id, email: createdBy.email },
      scheduledFor,
      startedAt,
      completedAt,
    },
    result: status,
    error: error && { code: error.code, message: error.message },
    tested: {
      backupId: run.backupId,
      pointInTime: run.pointInTime,
      readTime: run.readTime,
      pick: backup.pick,
      days: backup.days ?? null,
      seed: choice?.seed ?? null,
      candidates: choice?.candidates ?? null,
    },
    scope: { type: scope.type, documentsPerCollection: scope.documentsPerCollection ?? null },
    target,
    counts: run.counts,
    documentsWritten: run.documentsWritten,
    collections: collections.slice(0, collectionsMax).map((each) => ({ id: each.id, documents: each.documents })),
    collectionsOmitted: Math.max(0, collections.length - collectionsMax),
    digests: { manifest: run.digests?.manifest ?? null, documents: run.digests?.documents ?? null },
    durations: run.durations,
    rtoSeconds: run.rtoSeconds,
    comparisons: index && live && restored ? { index, source: live, target: restored } : null,
    warnings: run.warnings,
    differences: { total: run.differences.total, items: run.differences.items.slice(0, differencesShownMax) },
    check: run.check,
    removal: run.removal && { status: run.removal.status, documents: run.removal.documents, message: run.removal.message },
  };
};
