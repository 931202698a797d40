/** Checks that all deletions of a collection group were observed. */
import { countGroup, type FirestoreDatabase, ResumeTokenLost } from '../../firestore/index.ts';
import type { CollectionGroup, ExistenceFilter, Version } from '../listen/observed-changes.ts';
import { momentOf } from '../model/micro-time.ts';
import type { Lookup } from './document-lookup.ts';

/**
 * The source sends a count (existence filter) if it may have missed deletions, and a replay contains none. The count before, minus
 * deletions, plus creations must equal that count: first by known numbers, then by asking the source for each. Throws
 * ResumeTokenLost if the sum is still wrong. Returns the billed reads.
 */
export const assertDeletionsComplete = async (
  group: CollectionGroup,
  { source, lookup, signal }: { readonly source: FirestoreDatabase; readonly lookup: Lookup; readonly signal: AbortSignal },
): Promise<number> => {
  const { filter, isReplayed, position } = group;
  if (!filter && !isReplayed) return 0;
  if (filter?.gone === 0 && fitsKnown(group, filter, 0)) return 0;
  const removed = await countExistingBefore(group, lookup, (version) => !version);
  const { gone, created } = group.tally();
  // Changes after the count cannot be told from those before it.
  const isCurrent = gone === filter?.gone && created === filter.created;
  if (isCurrent && fitsKnown(group, filter, removed)) return 0;
  const before = await countGroup(source, { collectionId: position.collectionId, readTime: momentOf(position.to), signal });
  const after = await countGroup(source, { collectionId: position.collectionId, readTime: momentOf(group.heard.to), signal });
  const reads = before.reads + after.reads;
  if (before.documents === undefined || after.documents === undefined)
    throw new ResumeTokenLost('the source may have missed deletions, and its documents could not be counted');
  const isNew = (version: Version | undefined): boolean => version !== undefined && version.created > position.to;
  const added = created - (await countExistingBefore(group, lookup, isNew));
  if (before.documents - removed + added !== after.documents)
    throw new ResumeTokenLost(`the source missed deletions in ${position.collectionId}: ${gone} were reported`);
  return reads;
};

/** How many of these documents existed at `position`. A reported deletion of a document that never existed would hide another. */
const countExistingBefore = async (
  group: CollectionGroup,
  lookup: Lookup,
  matches: (version: Version | undefined) => boolean,
): Promise<number> => {
  const names = [...group.changes].filter(([, version]) => matches(version)).map(([name]) => name);
  let found = 0;
  await lookup.at(group.position.to, names, (_, bytes) => {
    if (bytes) found += 1;
  });
  return found;
};

/** The known count and the creations are upper bounds: if the sum equals the source's count, no deletion was missed. */
const fitsKnown = ({ position: { count } }: CollectionGroup, filter: ExistenceFilter, removed: number): boolean =>
  count !== undefined && count - removed + filter.created === filter.count;

/** Upper bound of a group's number of documents: deletions are not subtracted, because such a document may never have been counted. */
export const countAfter = (group: CollectionGroup): number | undefined => {
  const { filter, position } = group;
  const { created } = group.tally();
  if (filter) return filter.count + Math.max(0, created - filter.created);
  return position.count === undefined ? undefined : position.count + created;
};

/** Whether the group's count is still exact: no creation or deletion was observed. */
export const isStillCounted = (group: CollectionGroup): boolean => group.position.isCounted === true && isSteady(group);

/** Whether no creation or deletion was observed. */
export const isSteady = ({ position, changes }: CollectionGroup): boolean => {
  for (const version of changes.values()) if (!version || version.created > position.to) return false;
  return true;
};
