/** Refuses a masked copy whose rules match nothing, or whose target is its source, before anything is started. */

import { invalid } from '../../contract/errors.ts';
import { type TransformCounts, unmatchedReason, unmatchedRules } from '../../mask/index.ts';
import { after, type Clock, clock, log, type Tenant } from '../../platform/index.ts';
import { databaseName, type ProjectRecord } from '../../project/index.ts';
import { type ArchiveDeps, type BackupRecord, withArchiveInRequest } from '../../stored-backup/index.ts';
import type { StartRestoreOptions } from '../model/start-options.ts';
import { restoreScope } from '../scope/restore-scope.ts';
import { maskedTargetReason, mayBeSameDatabase } from '../transform/masked-target.ts';
import { shownRules } from '../transform/transform-view.ts';
import { quickDeps } from './assert-names-found.ts';
import { inspectRules } from './inspect-rules.ts';
import type { PreviewedDocument } from './preview-document.ts';

/** The request waits for this. The job decides what was not found out in time. */
const inspectSeconds = 6;

interface MaskedRequest {
  readonly backup: BackupRecord;
  readonly target: ProjectRecord;
  readonly options: Pick<
    StartRestoreOptions,
    'mergeMode' | 'collections' | 'documents' | 'includeSubcollections' | 'transform' | 'dryRun'
  >;
}

/**
 * Throws a VALIDATION_ERROR if a rule matches no document of the backup in scope, as far as that is found out in time. Returns the
 * preview of a dry run; undefined if there are no rules or the backup cannot be read now, which the job then reports.
 */
export const assertRulesMatch = async (
  tenant: Tenant,
  { backup, target, options }: MaskedRequest,
  { deps = quickDeps, time = clock }: { readonly deps?: ArchiveDeps; readonly time?: Clock } = {},
): Promise<readonly PreviewedDocument[] | undefined> => {
  const { transform, documents, dryRun } = options;
  if (!transform) return undefined;
  const until = after(time.now(), inspectSeconds);
  const scope = restoreScope({ ...options, undoOf: null }, backup, documents?.paths);
  const found = await withArchiveInRequest(tenant, {
    backup,
    work: async ({ archive }) => {
      const { source } = archive.manifest;
      const to = databaseName(target);
      if (mayBeSameDatabase(source, to)) return { isSource: true } as const;
      return inspectRules(archive, { transform, scope, to, isOver: () => time.now() >= until, previewed: dryRun ? 10 : 0 });
    },
    deps,
  }).catch((error: unknown) => {
    log.warn('the rules of a masked copy are left to its job', error as Error);
    return undefined;
  });
  if (!found) return undefined;
  if ('isSource' in found) throw invalid('targetProjectId', maskedTargetReason);
  if (found.isWhole) assertAllMatched(transform, found.counts);
  return found.preview;
};

/** Throws a VALIDATION_ERROR that names the rules that matched nothing, unless they are allowed to. */
export const assertAllMatched = (
  { rules, allowUnmatched }: NonNullable<StartRestoreOptions['transform']>,
  counts: TransformCounts,
): void => {
  const unmatched = allowUnmatched ? [] : unmatchedRules(rules, counts);
  const [first] = unmatched;
  if (!first) return;
  throw invalid(`options.transform.rules.${first.index}`, unmatchedReason(unmatched), {
    unmatchedRules: shownRules(unmatched.map(({ rule }) => rule)),
    rules: unmatched.slice(0, 100).map(({ index }) => index),
  });
};
