/** The order of test files: those of the stage mostly wait, so they alternate with those that compute. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export default class FileOrder extends BaseSequencer {
  /** Keeps the order that vitest chose inside each project: failed files first, then the longest. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placed = [true, false].flatMap((isStage) => {
      const group = sorted.filter(({ project }) => (project.name === 'stage') === isStage);
      // Files of the stage end a little earlier: one that waits alone at the end leaves the cores idle.
      return group.map((file, n) => ({ file, at: ((n + 0.5) / group.length) * (isStage ? 0.9 : 1) }));
    });
    return placed.sort((one, other) => one.at - other.at).map(({ file }) => file);
  }
}
