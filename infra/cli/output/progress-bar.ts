/** The line of a job that is watched: phase, bar, percent, documents, rate and remaining time. */
import type { Jobs } from '../../../shared/client/index.ts';
import { formatCount, formatDuration } from './format.ts';
import { fitText, textWidth } from './text-width.ts';
import { waitInShort } from './wait-words.ts';

export interface JobState {
  readonly phase: string;
  readonly percent: number;
  readonly documents: number;
  readonly totalDocuments: number | null;
  /** Why the job makes no progress. */
  readonly waitingFor: Jobs['backup']['waitingFor'];
}

interface Sample {
  readonly atMs: number;
  readonly documents: number;
}

/** The rate is that of the last seconds, so that it follows a job that becomes slower. */
const sampledMs = 15_000;
const silentMs = 15_000;
const barColumnsMax = 20;
const barColumnsMin = 5;

export class ProgressBar {
  readonly #isAscii: boolean;
  readonly #samples: Sample[] = [];
  #state: JobState | undefined;
  #heardMs: number;

  constructor({ nowMs, isAscii }: { readonly nowMs: number; readonly isAscii: boolean }) {
    this.#isAscii = isAscii;
    this.#heardMs = nowMs;
  }

  update(state: JobState, nowMs: number): void {
    if (state.phase !== this.#state?.phase) this.#samples.length = 0;
    this.#state = state;
    this.#heardMs = nowMs;
    this.#samples.push({ atMs: nowMs, documents: state.documents });
    while (this.#samples.length > 2 && nowMs - (this.#samples[0]?.atMs ?? nowMs) > sampledMs) this.#samples.shift();
  }

  /** Documents per second; undefined until two states differ. */
  get rate(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.atMs <= first.atMs || last.documents <= first.documents) return undefined;
    return (last.documents - first.documents) / ((last.atMs - first.atMs) / 1_000);
  }

  /** At most `columns` wide. */
  line(nowMs: number, columns: number): string {
    const state = this.#state;
    if (!state) return fitText('waiting for the service', columns);
    const { phase, percent, documents, totalDocuments, waitingFor } = state;
    const silentForMs = nowMs - this.#heardMs;
    const total = totalDocuments === null ? '' : ` of ${formatCount(totalDocuments)}`;
    const parts = [`${String(percent).padStart(3)} %`, `${formatCount(documents)}${total} documents`];
    if (silentForMs > silentMs) parts.push(`no response for ${formatDuration(silentForMs)}, retrying`);
    else if (waitingFor !== null) parts.push(waitInShort(waitingFor, nowMs));
    else parts.push(...this.#speed(documents, totalDocuments));
    const name = phase.toLowerCase().padEnd(9);
    const freeFor = (text: string): number => columns - textWidth(name) - textWidth(text) - 4;
    const whole = parts.join('  ');
    const text = freeFor(whole) < barColumnsMin ? whole.replace(' documents', '') : whole;
    // The bar takes the room that the numbers leave.
    const free = freeFor(text);
    return fitText([name, this.#bar(percent, Math.min(barColumnsMax, Math.max(barColumnsMin, free))), text].join('  '), columns);
  }

  #bar(percent: number, columns: number): string {
    const [full, empty] = this.#isAscii ? ['#', '-'] : ['█', '░'];
    const filled = Math.round((Math.min(100, Math.max(0, percent)) / 100) * columns);
    return full.repeat(filled) + empty.repeat(columns - filled);
  }

  #speed(documents: number, total: number | null): readonly string[] {
    const { rate } = this;
    if (rate === undefined) return [];
    const speed = `${formatCount(Math.max(1, Math.round(rate)))}/s`;
    if (total === null || total <= documents) return [speed];
    return [speed, `${formatDuration(((total - documents) / rate) * 1_000)} left`];
  }
}
