import { storedObjects } from '../../archive/index.ts';
import { leavesIn, sampleSize } from './leaf-sampler.ts';
import type { VerifyWork } from './verify-work.ts';

/** What a verification has checked, and how much of its work that is. 100 percent is reserved for one that has ended. */
export const checkedSoFar = (work: VerifyWork): { readonly objects: number; readonly percent: number } => {
  const [done, total] = workOf(work);
  const percent = total === 0 ? 0 : Math.min(99, Math.floor((done / total) * 100));
  return { objects: work.at.objects + work.extra, percent };
};

/** Reading takes the time of a full check: it counts records, also those that an incremental backup inherits. */
const workOf = ({ depth, at, open: { archive } }: VerifyWork): readonly [done: number, total: number] => {
  const { counts } = archive.manifest;
  if (depth === 'full') return [recordsIn(at.tally), recordsIn(counts)];
  const sampled = depth === 'sample' ? sampleSize(leavesIn(archive)) : 0;
  return [at.objects + at.leaves, storedObjects(archive.manifest).length + sampled];
};

interface Counts {
  readonly documents: number;
  readonly tombstones: number;
  readonly users: number;
}

const recordsIn = ({ documents, tombstones, users }: Counts): number => documents + tombstones + users;
