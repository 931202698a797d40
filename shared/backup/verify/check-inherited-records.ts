/** The records that an incremental backup finds in chunks of earlier ones, read where its index points to them. */
import type { Archive, Leaf, NamedPage, Segment } from '../../archive/index.ts';
import { countRecords, isPair, toProblem } from './check-object.ts';
import { qualifiedName } from './leaf-sampler.ts';
import { extraCheckedObjects, type VerifyWork } from './verify-work.ts';

/** Leaves fetched before they are wanted. */
const ahead = 8;

/** Page after page of the index; false if time ran out before all were read. What is damaged is told once, by its object. */
export const checkInheritedRecords = async ({
  open: { archive },
  at,
  progress,
  deadline,
  clock,
}: VerifyWork): Promise<boolean> => {
  const { report } = progress;
  for (const page of archive.pages.slice(at.leaves)) {
    if (clock.now() >= deadline) return false;
    const kept = report.has(page.object) ? [] : await keptIn(archive, page).catch(toProblem);
    // An index that could be read as a whole is read again: a page of it that cannot be is told of.
    if ('problem' in kept) report.add(page.object, kept.problem, kept.message);
    else
      for await (const [segment, leaf] of leavesOf(archive, kept)) {
        const object = qualifiedName(segment, archive);
        if (report.has(object)) continue;
        if ('problem' in leaf) report.add(object, leaf.problem, leaf.message);
        else countRecords(leaf, segment, at.tally);
      }
    at.leaves += 1;
    await progress.reportThrottled(at.objects + extraCheckedObjects);
  }
  return true;
};

/** All but those in the chunk that was written with the page: these were counted when it was read. */
const keptIn = async (archive: Archive, page: NamedPage): Promise<readonly Segment[]> =>
  (await archive.segmentsOf(page)).filter(
    ({ backup, object }) => backup !== archive.manifest.backup || !isPair(page.object, object),
  );

type Read = readonly [Segment, Leaf | ReturnType<typeof toProblem>];

/** What cannot be read comes as what is wrong with it. */
async function* leavesOf(archive: Archive, segments: readonly Segment[]): AsyncGenerator<Read, void, undefined> {
  const coming: Promise<Read>[] = [];
  for (const segment of segments) {
    const next = archive.leaf(segment).catch(toProblem);
    const read = next.then((leaf): Read => [segment, leaf]);
    // Whoever waits for it hears of it when its turn comes.
    read.catch(() => undefined);
    coming.push(read);
    const [first] = coming;
    if (first && coming.length > ahead) {
      coming.shift();
      yield await first;
    }
  }
  for (const next of coming) yield await next;
}
