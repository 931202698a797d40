import { type Clock, get, type Tenant } from '../platform/index.ts';
import type { Halt } from './halt.ts';
import { type BackupRecord, backupKey } from './record.ts';
import { NotRunning, stillRunning } from './running.ts';

/** How often a worker looks whether its backup still runs: so long may it go on after a cancellation. */
const lookEveryMs = 2_000;
/** What is worth telling: with twenty workers the backup's own number is then never a tenth behind. */
const tellShare = 1 / 200;
/** However little there is to tell. */
const tellEveryMs = 15_000;

export interface PulseOptions {
  readonly tenant: Tenant;
  readonly backup: BackupRecord;
  readonly halt: Halt;
  readonly clock: Clock;
  /** Documents of the shard that the backup has not been told of. */
  readonly untold: () => number;
  readonly tell: () => Promise<unknown>;
}

/**
 * Beside the copying, at its own pace: looks whether the backup still runs, and tells it how far the shard has come. Never per
 * document: a million of them cost a few hundred writes of the table.
 */
export class Pulse {
  readonly #options: PulseOptions;
  readonly #timer: NodeJS.Timeout;
  #underWay: Promise<void> | undefined;
  #toldAtMs: number;

  constructor(options: PulseOptions) {
    this.#options = options;
    this.#toldAtMs = options.clock.now().getTime();
    this.#timer = setInterval(() => {
      this.#underWay ??= this.#beat().finally(() => {
        this.#underWay = undefined;
      });
    }, lookEveryMs);
  }

  /** Resolves when nothing is being told any more, and nothing will be. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#underWay;
  }

  /** Never rejects: what ends the backup stops the copying, whatever else fails is tried again at the next beat. */
  async #beat(): Promise<void> {
    const { tenant, backup, halt, clock, untold, tell } = this.#options;
    try {
      const now = clock.now();
      stillRunning((await get(backupKey.backup(tenant, backup.id))) as BackupRecord | undefined, now);
      const isWorth = untold() > 0 && untold() >= (backup.totalDocuments ?? 0) * tellShare;
      if (!isWorth && now.getTime() - this.#toldAtMs < tellEveryMs) return;
      await tell();
      this.#toldAtMs = now.getTime();
    } catch (error) {
      if (error instanceof NotRunning || (error as Error).name === 'JobFailure') halt.stop(error as Error);
    }
  }
}
