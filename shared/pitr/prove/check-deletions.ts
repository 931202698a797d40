/** Whether what was heard of a group can be all that happened in it. */
import { countGroup, type FirestoreDatabase, ResumeTokenLost } from '../../firestore/index.ts';
import type { CollectionGroup, Filter, Version } from '../listen/observed-changes.ts';
import { momentOf } from '../model/micro-time.ts';
import type { Lookup } from './document-lookup.ts';

/**
 * The source says how many documents a group has where it cannot be sure that it told of each that is gone, and a replay tells
 * of none that is. What was there before, less what went, more what came must give that number: mostly by what we know; where
 * that does not fit, by asking the source for every part of the sum. Throws ListenLost if it does not fit either. Answers the reads.
 */
export const assertDeletionsComplete = async (
  group: CollectionGroup,
  { source, lookup, signal }: { readonly source: FirestoreDatabase; readonly lookup: Lookup; readonly signal: AbortSignal },
): Promise<number> => {
  const { filter, isReplayed, position } = group;
  if (!filter && !isReplayed) return 0;
  if (filter?.gone === 0 && fitsKnown(group, filter, 0)) return 0;
  const went = await foundBefore(group, lookup, (version) => !version);
  const { gone, created } = group.tally();
  // What came and went after the source had counted cannot be told from what did before.
  const isOfNow = gone === filter?.gone && created === filter.created;
  if (isOfNow && fitsKnown(group, filter, went)) return 0;
  const before = await countGroup(source, position.collectionId, momentOf(position.to), signal);
  const after = await countGroup(source, position.collectionId, momentOf(group.heard.to), signal);
  const reads = before.reads + after.reads;
  if (before.documents === undefined || after.documents === undefined)
    throw new ResumeTokenLost('the source is not sure of what was deleted, and does not count');
  const isNew = (version: Version | undefined): boolean => version !== undefined && version.created > position.to;
  const came = created - (await foundBefore(group, lookup, isNew));
  if (before.documents - went + came !== after.documents)
    throw new ResumeTokenLost(`the source did not tell of every deletion: ${gone} of ${position.collectionId} were heard of`);
  return reads;
};

/** Of the documents that are so by now: how many were there before. One that is gone and never was would hide another. */
const foundBefore = async (
  group: CollectionGroup,
  lookup: Lookup,
  isSo: (version: Version | undefined) => boolean,
): Promise<number> => {
  const names = [...group.changes].filter(([, version]) => isSo(version)).map(([name]) => name);
  let found = 0;
  await lookup.at(group.position.to, names, (_, bytes) => {
    if (bytes) found += 1;
  });
  return found;
};

/** Our number is never below what was there, nor is what came: if the sum is what the source has, it told of all that is gone. */
const fitsKnown = ({ position: { count } }: CollectionGroup, filter: Filter, went: number): boolean =>
  count !== undefined && count - went + filter.created === filter.count;

/** How many documents a group has at most, as far as can be said without asking: what is gone may never have been among them. */
export const countAfter = (group: CollectionGroup): number | undefined => {
  const { filter, position } = group;
  const { created } = group.tally();
  if (filter) return filter.count + Math.max(0, created - filter.created);
  return position.count === undefined ? undefined : position.count + created;
};

/** Whether the group's number is still exact: nothing came or went, as far as was told. What is deleted and made again is told, too. */
export const isStillCounted = ({ position, changes }: CollectionGroup): boolean => {
  if (!position.isCounted) return false;
  for (const version of changes.values()) if (!version || version.created > position.to) return false;
  return true;
};
