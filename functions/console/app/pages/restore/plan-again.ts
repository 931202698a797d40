import type { DataOf } from '../../../../../shared/client/index.ts';
import { lostRules, paths, type RestoreParams } from '../../paths.ts';

type Restore = DataOf<'GET /backups/restore/{restoreJobId}'>;

/**
 * The wizard with the choices of a restore. A long list of documents is only known in part: its scope is chosen anew. The record shows
 * neither a limit of writes nor whether a safety backup was wanted: there is no limit then, and one is made.
 */
export const planAgain = (restore: Restore): string => {
  const { collections, documentIds } = restore;
  const isListed = documentIds === undefined || documentIds.length < 100;
  const isWhole = collections.includes('*');
  const mask = maskOf(restore);
  const isMaskLost = restore.transform !== undefined && mask === undefined;
  const isMaskOpen = isMaskLost || (restore.transform !== undefined && restore.error?.code === 'TRANSFORM_INVALID');
  return paths.restoreWizard({
    ...choicesOf(restore),
    mask: isMaskLost ? lostRules : mask,
    rules: isMaskLost ? restore.restoreJobId : undefined,
    unmatched: restore.transform?.allowUnmatched ? 'yes' : undefined,
    ...(!isWhole && documentIds === undefined && { collections }),
    ...(documentIds !== undefined && { scope: 'documents', ...(isListed && { documents: documentIds }) }),
    below: restore.includeSubcollections ? undefined : 'no',
    users: restore.includeAuthUsers ? 'yes' : 'no',
    changed: restore.error?.code === 'PLAN_CHANGED' ? restore.restoreJobId : undefined,
    step: isMaskOpen ? 'mask' : isListed ? 'plan' : 'scope',
  });
};

/** Addresses of pages have at most 10 KB. */
const charactersMax = 6_000;

/** The wizard with the documents that were not written; undefined if they are too many for an address, or if it cannot write them. */
export const restoreFailed = (restore: Restore): string | undefined => {
  const { failures, documentsFailed, undoOf } = restore;
  const documents = failures.map(({ path }) => path);
  const isListed = failures.length === documentsFailed && documents.join().length <= charactersMax;
  // Another masked copy has another key: its hashes would not fit those of the first.
  if (undoOf !== null || failures.length === 0 || !isListed || restore.transform) return undefined;
  return paths.restoreWizard({ ...choicesOf(restore), documents, below: 'no', users: 'no', step: 'plan' });
};

/** The rules of a masked copy; undefined if they are too long for an address. The wizard then reads them from the restore. */
const maskOf = ({ ruleMatches }: Restore): string | undefined => {
  const rules = ruleMatches?.map(({ documents: _, ...rule }) => rule);
  const text = rules && JSON.stringify(rules);
  return text !== undefined && text.length <= charactersMax ? text : undefined;
};

const choicesOf = ({ backupId, pointInTime, projectId, targetProjectId, mergeMode, partial }: Restore): RestoreParams => ({
  ...(pointInTime === null ? { backupId } : { projectId, at: pointInTime }),
  target: targetProjectId === projectId ? undefined : targetProjectId,
  mode: mergeMode,
  partial: partial === null ? undefined : 'yes',
});
