import type { ResourceEvent } from '../../../deploy/follow-stack.ts';
import type { Context } from '../../context/context.ts';
import { formatDuration } from '../../output/format.ts';
import { fitText } from '../../output/text-width.ts';

/** Less says too little about the rest. */
const estimatedAfter = 10;

const verbs: Readonly<Record<string, string>> = {
  CREATE_COMPLETE: 'created',
  UPDATE_COMPLETE: 'changed',
  DELETE_COMPLETE: 'deleted',
  DELETE_SKIPPED: 'kept',
};

/** The list of a deployment: a line for each resource that is done, and below it how many are left and for how long at the pace so far. */
export class ResourceProgress {
  readonly #context: Context;
  readonly #total: number;
  readonly #startedMs = Date.now();
  #done = 0;

  constructor(context: Context, total: number) {
    this.#context = context;
    this.#total = total;
  }

  add({ stack, logicalId, type, status, reason }: ResourceEvent): void {
    const { output } = this.#context;
    this.#done += 1;
    const isFailed = status.endsWith('_FAILED');
    const verb = isFailed ? 'failed' : (verbs[status] ?? status.toLowerCase());
    const text = `${verb.padEnd(8)} ${stack.padEnd(9)} ${logicalId}  ${type}${isFailed ? `: ${reason}` : ''}`;
    if (!output.terminal.hasProgress) {
      output.note(`${this.#counted()}  ${text}`);
      return;
    }
    output.progress('\r\u001b[K');
    output.note(`  ${text}`);
    const { columns } = this.#context.environment.stderr;
    output.progress(fitText([this.#counted(), ...this.#left()].join('  '), (columns || 80) - 1));
  }

  end(): void {
    this.#context.output.progress('\r\u001b[K');
  }

  /** A roll back touches more than was planned. */
  #counted(): string {
    const total = Math.max(this.#total, this.#done);
    return `${String(this.#done).padStart(String(total).length)} of ${total} resources`;
  }

  #left(): readonly string[] {
    const open = this.#total - this.#done;
    if (open <= 0 || this.#done < estimatedAfter) return [];
    return [`about ${formatDuration(((Date.now() - this.#startedMs) / this.#done) * open)} left`];
  }
}
