/** Waits for the end of a job. A lost connection says nothing about the job, so it is only shown; an interrupted wait lets it run. */
import type { Command } from 'commander';
import type { JobKind, Jobs } from '../../../shared/client/index.ts';
import { ProgressBar } from '../output/progress-bar.ts';
import { waitSentence } from '../output/wait-words.ts';
import type { Context } from './context.ts';

export interface WatchOptions {
  readonly watch?: boolean | undefined;
  readonly wait?: boolean | undefined;
}

interface Watched<K extends JobKind> {
  readonly kind: K;
  readonly id: string;
  /** When to stop instead of at the end of the job. */
  readonly until?: ((job: Jobs[K]) => boolean) | undefined;
  /** False waits silently. */
  readonly showsProgress: boolean;
}

const redrawMs = 500;

export const watchJob = async <K extends JobKind>(context: Context, watched: Watched<K>): Promise<Jobs[K]> => {
  const { kind, id, until, showsProgress } = watched;
  const { output, signal, environment } = context;
  const client = await context.client();
  const bar = new ProgressBar({ nowMs: Date.now(), isAscii: !isUnicode(environment.env) });
  const draw = (): void => output.progress(`\r\u001b[K${bar.line(Date.now(), (environment.stderr.columns || 80) - 1)}`);
  const timer = showsProgress && output.terminal.hasProgress ? setInterval(draw, redrawMs) : undefined;
  let told: string | undefined;
  const onProgress = ({ phase, progress, waitingFor }: Jobs[K]): void => {
    const { percent, documents, totalDocuments } = progress;
    bar.update({ phase, percent, documents, totalDocuments, waitingFor }, Date.now());
    if (showsProgress && waitingFor && waitingFor.since !== told) {
      told = waitingFor.since;
      output.note(waitSentence(kind, waitingFor));
    }
    if (timer) draw();
  };
  try {
    return await client.waitFor(kind, id, { signal, onProgress, until });
  } catch (error) {
    if (timer) output.progress('\n');
    output.note(`The ${kind} continues without this command. Watch it again: bms ${kind} watch ${id}`);
    throw error;
  } finally {
    clearInterval(timer);
    if (timer) output.progress('\r\u001b[K');
  }
};

/** As the locale of the terminal says. */
export const isUnicode = (env: Readonly<Record<string, string | undefined>>): boolean =>
  /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || 'utf-8');

export const addWatchOptions = (command: Command): Command =>
  command
    .option('--watch', 'wait for the end and show the progress; quiet if stderr is not a terminal')
    .option('--wait', 'wait for the end silently');
