import type { Progress } from '../../../deploy/follow-stack.ts';
import type { Context } from '../../context/context.ts';
import { formatDuration } from '../../output/format.ts';
import { fitText } from '../../output/text-width.ts';

/** Less says too little about the rest. */
const estimatedAfter = 10;

/** How far a deployment is: resources that are done, the latest one, and the time left at the pace so far. */
export class ResourceProgress {
  readonly #context: Context;
  readonly #total: number;
  readonly #startedMs = Date.now();
  #told = 0;

  constructor(context: Context, total: number) {
    this.#context = context;
    this.#total = total;
  }

  update({ done, latest }: Progress): void {
    const { output, environment } = this.#context;
    const total = Math.max(this.#total, done);
    const elapsedMs = Date.now() - this.#startedMs;
    const left = done < estimatedAfter || done === total ? [] : [`${formatDuration((elapsedMs / done) * (total - done))} left`];
    const line = [`${done} of ${total} resources`, ...left, latest].filter((part) => part !== '').join('  ');
    if (output.terminal.hasProgress) output.progress(`\r\u001b[K${fitText(line, (environment.stderr.columns || 80) - 1)}`);
    // Without a terminal a line for every tenth of the way.
    else if (Math.floor((done / total) * 10) > this.#told) {
      this.#told = Math.floor((done / total) * 10);
      output.note(line);
    }
  }

  end(): void {
    this.#context.output.progress('\r\u001b[K');
  }
}
