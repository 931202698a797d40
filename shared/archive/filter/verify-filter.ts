import { type ReadOptions, readFrames } from '../object/read-frames.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import type { ByteSource } from '../primitives/byte-queue.ts';
import { bloomStarts } from './bloom-filter.ts';
import { type FilterEntry, leavesPerSection, parseDirectory, withoutHash } from './filter-directory.ts';

/** Verifies a whole filter object, as `readFrames` does, and that every section has one filter per leaf. */
export const verifyFilter = async (
  source: ByteSource,
  { entry, ...options }: ReadOptions & { readonly entry: FilterEntry },
): Promise<void> => {
  const sections: { readonly length: number; readonly content: Buffer }[] = [];
  for await (const { last, length, plain } of readFrames(source, { ...options, entry })) {
    if (!last) {
      sections.push({ length, content: withoutHash(plain) });
      continue;
    }
    const directory = parseDirectory(plain, entry);
    if (length !== entry.directory || sections.some((section, n) => section.length !== directory.sections[n]))
      throw new ArchiveError('index-invalid', 'the directory of a filter does not match its sections');
    for (const [n, { content }] of sections.entries())
      bloomStarts(content, leavesInSection(directory.leaves, Math.floor(n / (1 + directory.fields.length))));
  }
};

/** How many leaves the sections of a group cover. */
export const leavesInSection = (leaves: number, group: number): number =>
  Math.min(leavesPerSection, leaves - group * leavesPerSection);
