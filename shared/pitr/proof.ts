/** Finds every version that was there at a whole second: what the source tells is only what is there at the end. */
import { type BatchWriter, createdOf, updatedOf } from './batch-writer.ts';
import type { Group, Version } from './gathering.ts';
import type { Lookup } from './lookup.ts';
import { type Step, type Stretch, samplesOf, walkBack } from './walk-back.ts';

export interface Proving {
  readonly groups: Iterable<Group>;
  /** Up to when each group was heard, in microseconds; all that is heard is known up to `to`. */
  readonly heardTo: (group: Group) => number;
  readonly to: number;
  readonly isEverySecond: boolean;
  readonly lookup: Lookup;
  readonly writer: BatchWriter;
}

interface Walk {
  readonly name: string;
  readonly from: number;
  readonly steps: Generator<Step, void, Version | undefined>;
  /** Versions that are written already, by their times. */
  readonly written: Set<number>;
}

/** Writes what it finds; memory is that of the names, and of the answers under way. */
export const prove = async ({ groups, heardTo, to, isEverySecond, lookup, writer }: Proving): Promise<void> => {
  let waiting = new Map<number, Walk[]>();
  const go = (walk: Walk, told?: Version): void => {
    for (let step = walk.steps.next(told); !step.done; step = walk.steps.next()) {
      if ('look' in step.value) {
        const { look } = step.value;
        waiting.set(look, waiting.get(look) ?? []);
        waiting.get(look)?.push(walk);
        return;
      }
      writer.tombstone(walk.name, step.value.goneSince);
    }
  };
  for (const group of groups) {
    const { to: from } = group.standing;
    const stretch: Stretch = { from, to: heardTo(group), samples: samplesOf(from, heardTo(group), isEverySecond, to) };
    for (const [name, last] of group.changes)
      go({ name, from, steps: walkBack(stretch, last), written: new Set(last && [last.updated]) });
  }
  await writer.rest();
  while (waiting.size > 0) {
    const round = waiting;
    waiting = new Map();
    for (const [moment, walks] of round) {
      const byName = new Map(walks.map((walk) => [walk.name, walk]));
      await lookup.at(moment, [...byName.keys()], (name, bytes, skim) => {
        const walk = byName.get(name);
        if (!walk) return;
        const version = bytes && { updated: updatedOf(skim), created: createdOf(skim) };
        if (bytes && version && version.updated > walk.from && !walk.written.has(version.updated)) {
          walk.written.add(version.updated);
          writer.document(bytes, 0, bytes.length, skim);
        }
        go(walk, version);
      });
      await writer.rest();
    }
  }
};
