/** Whether what was heard of a group can be all that happened in it. */
import { countGroup, ListenLost, type Source } from '../firestore/index.ts';
import type { Group } from './gathering.ts';
import type { Lookup } from './lookup.ts';
import { momentOf } from './moment.ts';

/**
 * The source says how many documents a group has where it cannot be sure that it told of each that is gone, and a replay tells
 * of none that is. What was there before, less what went, more what came must give that number: mostly by what we know; where
 * that does not fit, by asking the source for every part of the sum. Throws ListenLost if it does not fit either. Answers the reads.
 */
export const judgeGroup = async (
  group: Group,
  heardTo: number,
  { source, lookup, signal }: { readonly source: Source; readonly lookup: Lookup; readonly signal: AbortSignal },
): Promise<number> => {
  const { filter, isReplayed, standing } = group;
  if (!filter && !isReplayed) return 0;
  if (filter && standing.count !== undefined && standing.count - filter.gone + filter.created === filter.count) return 0;
  const before = await countGroup(source, standing.collectionId, momentOf(standing.to), signal);
  const after = await countGroup(source, standing.collectionId, momentOf(heardTo), signal);
  const reads = before.reads + after.reads;
  if (before.documents === undefined || after.documents === undefined)
    throw new ListenLost('the source is not sure of what was deleted, and does not count');
  const wasThere = await thereBefore(group, lookup);
  const { gone, created } = group.tally();
  const came = created - wasThere.created;
  const went = wasThere.gone;
  if (before.documents - went + came !== after.documents)
    throw new ListenLost(`the source did not tell of every deletion: ${gone} of ${standing.collectionId} were heard of`);
  return reads;
};

/** Of what is gone or was created since: how much was there before. */
const thereBefore = async (group: Group, lookup: Lookup): Promise<ReturnType<Group['tally']>> => {
  const { to } = group.standing;
  const doubtful = [...group.changes].filter(([, version]) => !version || version.created > to).map(([name]) => name);
  let [gone, created] = [0, 0];
  await lookup.at(to, doubtful, (name, bytes) => {
    if (!bytes) return;
    if (group.changes.get(name)) created += 1;
    else gone += 1;
  });
  return { gone, created };
};

/** How many documents a group has by now, as far as can be said without asking; a hint for the next time. */
export const countAfter = (group: Group): number | undefined => {
  const { filter, standing } = group;
  const { gone, created } = group.tally();
  if (filter) return filter.count + (created - filter.created) - (gone - filter.gone);
  return standing.count === undefined ? undefined : standing.count - gone + created;
};

/** Whether the group's number is still exact: nothing came or went, as far as was told. What is deleted and made again is told, too. */
export const isStillCounted = ({ standing, changes }: Group): boolean => {
  if (!standing.isCounted) return false;
  for (const version of changes.values()) if (!version || version.created > standing.to) return false;
  return true;
};
