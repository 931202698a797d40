/**
 * The order of test files: the longest of each project first, so that none runs alone at the end. Files of the stage mostly wait, so the
 * projects proceed at the same pace, in blocks: Vitest ends a process when its next file is of another project. Within a block the
 * modules are loaded once; after it they are forgotten, because Node keeps every test file that it has imported, and what that file
 * holds. With one process for 500 files the collector took more CPU than the imports had (741 s in all instead of 551).
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readDurations } from './durations.ts';

/** Shared by the workers: each runs 4 to 20 files of a block. */
const blockSizes = { stage: 24, shared: 80, infra: 40 } as const;
/** Of a file that is not in the list: new or short. */
const unknownSeconds = 2;

export default class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations();
    const rootDir = this.ctx.config.root;
    const secondsOf = ({ moduleId }: TestSpecification): number => durations.get(relative(rootDir, moduleId)) ?? unknownSeconds;
    const placed = (['stage', 'shared', 'infra'] as const).flatMap((name) => {
      const group = files.filter(({ project }) => project.name === name).sort((one, other) => secondsOf(other) - secondsOf(one));
      const total = group.reduce((sum, file) => sum + secondsOf(file), 0);
      // Files of the stage end a little earlier: one that waits alone at the end leaves the cores idle.
      const end = name === 'stage' ? 0.9 : 1;
      let before = 0;
      let at = 0;
      return group.map((file, n) => {
        if (n % blockSizes[name] === 0) at = (before / total) * end;
        before += secondsOf(file);
        return { file, at };
      });
    });
    return placed.sort((one, other) => one.at - other.at).map(({ file }) => file);
  }
}
