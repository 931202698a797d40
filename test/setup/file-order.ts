/**
 * The order of test files: those of the stage mostly wait, so they alternate with those that compute. Files that share processes come in
 * blocks, because Vitest ends such a process when the next file is of another project.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const blockSize = 40;

export default class FileOrder extends BaseSequencer {
  /** Keeps the order that vitest chose inside each project: failed files first, then the longest. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placed = ['stage', 'unit', 'unit-shared'].flatMap((name) => {
      const group = sorted.filter(({ project }) => project.name === name);
      const size = name === 'unit-shared' ? blockSize : 1;
      const count = Math.ceil(group.length / size);
      // Files of the stage end a little earlier: one that waits alone at the end leaves the cores idle.
      const end = name === 'stage' ? 0.9 : 1;
      return group.map((file, n) => ({ file, at: ((Math.floor(n / size) + 0.5) / count) * end }));
    });
    return placed.sort((one, other) => one.at - other.at).map(({ file }) => file);
  }
}
