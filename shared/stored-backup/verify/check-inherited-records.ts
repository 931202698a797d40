/** Verifies the records that an incremental backup inherits from chunks of earlier ones. */
import type { Archive, Leaf, NamedPage, Segment } from '../../archive/index.ts';
import { prefetch } from '../../platform/index.ts';
import { isPair } from '../model/part-objects.ts';
import { countRecords, qualifiedName, toProblem } from './check-object.ts';
import { checkedSoFar } from './checked-so-far.ts';
import type { VerifyWork } from './verify-work.ts';

const ahead = 8;

/** False if the time ran out first. Each damaged object is reported once. */
export const checkInheritedRecords = async (work: VerifyWork): Promise<boolean> => {
  const { at, progress, deadline, clock } = work;
  const { archive } = work.open;
  const { report } = progress;
  for (const page of archive.pages.slice(at.leaves)) {
    if (clock.now() >= deadline) return false;
    const inherited = report.has(page.object) ? [] : await inheritedIn(archive, page).catch(toProblem);
    if ('problem' in inherited) report.add(page.object, inherited.problem, inherited.message);
    else
      for await (const [segment, leaf] of leavesOf(archive, inherited)) {
        const object = qualifiedName(segment, archive);
        if (report.has(object)) continue;
        if ('problem' in leaf) report.add(object, leaf.problem, leaf.message);
        else countRecords(leaf, segment, at.tally);
      }
    at.leaves += 1;
    await progress.reportThrottled(checkedSoFar(work));
  }
  return true;
};

/** All segments but those in the chunk written with the page, whose records were counted when the chunk was read. */
const inheritedIn = async (archive: Archive, page: NamedPage): Promise<readonly Segment[]> =>
  (await archive.segmentsOf(page)).filter(
    ({ backup, object }) => backup !== archive.manifest.backup || !isPair(page.object, object),
  );

type Read = readonly [Segment, Leaf | ReturnType<typeof toProblem>];

/** Yields the problem in place of a leaf that cannot be read. */
const leavesOf = (archive: Archive, segments: readonly Segment[]): AsyncGenerator<Read, void, undefined> =>
  prefetch(segments, ahead, async (segment) => [segment, await archive.leaf(segment).catch(toProblem)]);
