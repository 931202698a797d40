/** The streams of a turn: as many as its groups need. */
import { Listening, type Source, targetsMax } from '../firestore/index.ts';
import type { Gathering, Group } from './gathering.ts';
import { microsOf } from './moment.ts';
import { type Standing, targetOf } from './standing.ts';

interface Lane {
  readonly listening: Listening;
  readonly groups: Set<Group>;
  settled: { readonly to: number; readonly token: Buffer } | undefined;
}

/** Each lane has a time of its own up to which all its groups were heard; nothing is known of all beyond the earliest. */
export class Lanes {
  readonly #source: Source;
  readonly #gathering: Gathering;
  readonly #options: { readonly refresh: boolean; readonly signal: AbortSignal };
  readonly #lanes: Lane[] = [];
  #targets = 0;

  constructor(source: Source, gathering: Gathering, options: { readonly refresh: boolean; readonly signal: AbortSignal }) {
    this.#source = source;
    this.#gathering = gathering;
    this.#options = options;
  }

  async add(standing: Standing): Promise<void> {
    const lane = this.#lanes.find(({ groups }) => groups.size < targetsMax) ?? (await this.#newLane());
    this.#targets += 1;
    lane.groups.add(this.#gathering.add(this.#targets, standing));
    lane.settled = undefined;
    lane.listening.add(targetOf(standing, this.#targets));
  }

  /** Hears until everything up to one time, or a time for each lane, has been told. */
  async settle(): Promise<void> {
    await Promise.all(
      this.#lanes.map(async (lane) => {
        if (lane.settled) return;
        const { readTime, token } = await lane.listening.settle(this.#gathering);
        lane.settled = { to: microsOf(readTime), token };
      }),
    );
  }

  /** Up to when everything was heard of all, in microseconds; undefined where nothing is listened to. */
  get to(): number | undefined {
    return this.#lanes.length === 0 ? undefined : Math.min(...this.#lanes.map(({ settled }) => settled?.to ?? 0));
  }

  /** Up to when a group was heard, and what goes on from there. */
  heard(group: Group): { readonly to: number; readonly token: Buffer | undefined } {
    const settled = this.#lanes.find(({ groups }) => groups.has(group))?.settled;
    return settled ?? { to: group.standing.to, token: group.standing.token };
  }

  close(): void {
    for (const { listening } of this.#lanes) listening.close();
  }

  async #newLane(): Promise<Lane> {
    const lane = { listening: await Listening.open(this.#source, this.#options), groups: new Set<Group>(), settled: undefined };
    this.#lanes.push(lane);
    return lane;
  }
}
