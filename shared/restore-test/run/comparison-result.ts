/** What a finished walk says: how much was compared with what, and where the archive differs from its own index. */
import type { Archive } from '../../archive/index.ts';
import type { RunRecord, WalkState } from '../model/record.ts';
import { notCompared } from './comparisons.ts';
import type { DifferenceList } from './run-writes.ts';

/** A walk over everything must have found exactly the documents that the manifest counts in each collection, one over a sample all of it. */
export const compareWithIndex = (
  { scope, sample }: Pick<RunRecord, 'scope' | 'sample'>,
  {
    archive: { manifest },
    walked,
    differences,
  }: { readonly archive: Pick<Archive, 'manifest'>; readonly walked: WalkState; readonly differences: DifferenceList },
): void => {
  if (scope.type !== 'all') {
    compareWithSample(sample, walked, differences);
    return;
  }
  const found = new Map(JSON.parse(walked.collections) as [string, number][]);
  const listed = new Map(manifest.collections.map(({ id, documents }) => [id, documents]));
  for (const id of new Set([...listed.keys(), ...found.keys()])) {
    const [expected, documents] = [listed.get(id) ?? 0, found.get(id) ?? 0];
    if (expected === documents) continue;
    const message = `The archive has ${documents} documents of the collection, its manifest lists ${expected}`;
    differences.add({ path: id, kind: documents < expected ? 'missing' : 'unexpected', against: 'index', message });
  }
};

const compareWithSample = (sample: string | undefined, { collections }: WalkState, differences: DifferenceList): void => {
  const documents = (JSON.parse(collections) as [string, number][]).reduce((sum, [, count]) => sum + count, 0);
  const drawn = sample === undefined ? documents : (JSON.parse(sample) as unknown[]).length;
  if (documents === drawn) return;
  const message = `The archive gave ${documents} of the ${drawn} documents that were drawn`;
  differences.add({ path: 'sample', kind: 'missing', against: 'index', message });
};

type Comparisons = NonNullable<RunRecord['comparisons']>;

export const comparisonsOf = (
  run: Pick<RunRecord, 'target' | 'scope' | 'sample'>,
  { manifest }: Pick<Archive, 'manifest'>,
  { walked, differences }: { readonly walked: WalkState; readonly differences: Pick<DifferenceList, 'items'> },
): Comparisons => {
  const total = manifest.counts.documents;
  const shareOf = (documents: number): number => (total === 0 ? 1 : Math.min(1, documents / total));
  const count = (against: 'index' | 'source' | 'target'): number =>
    differences.items.filter((difference) => difference.against === against).length;
  const collections = (JSON.parse(walked.collections) as unknown[]).length;
  const remark = run.scope.type === 'sample' ? `A sample of ${walked.documents} of ${total} documents` : erasedRemark(walked);
  const index = {
    compared: true,
    reason: remark,
    readTime: manifest.readTime,
    documents: walked.documents,
    collections,
    share: shareOf(walked.documents),
    differences: count('index'),
  };
  const live = {
    compared: walked.stopped === undefined || walked.compared > 0,
    reason: walked.stopped ?? remark,
    readTime: walked.compared > 0 || walked.stopped === undefined ? manifest.readTime : null,
    documents: walked.compared,
    collections: walked.stopped === undefined ? collections : 0,
    share: shareOf(walked.compared),
  };
  return run.target
    ? {
        index,
        source: notCompared('The archive was compared with the target that it was restored to'),
        target: { ...live, readTime: null, differences: count('target') },
      }
    : {
        index,
        source: { ...live, differences: count('source') },
        target: notCompared('The test has no target'),
      };
};

/** Erased documents count in their collections, but were not read. */
const erasedRemark = ({ collections, documents }: WalkState): string | null => {
  const found = (JSON.parse(collections) as [string, number][]).reduce((sum, [, count]) => sum + count, 0);
  return found > documents ? `${found - documents} of ${found} documents are erased, and were not read` : null;
};
