/** What a job waits for, in words. */
import type { Jobs } from '../../../shared/client/index.ts';
import { formatCounted, formatDuration, formatTime } from './format.ts';

type Wait = NonNullable<Jobs['backup']['waitingFor']>;

export const waitWords: Readonly<Record<Wait['reason'], string>> = {
  quota: 'the quota of the database',
  database: 'the database',
  storage: 'the bucket',
};

/** In the line of a progress bar. */
export const waitInShort = ({ reason, since, attempts, givesUpAt }: Wait, nowMs: number): string => {
  const left = givesUpAt === null ? '' : `, gives up in ${formatDuration(Math.max(0, Date.parse(givesUpAt) - nowMs))}`;
  const tried = attempts === 0 ? '' : `, ${formatCounted(attempts, 'failed attempt')}`;
  return `waiting for ${waitWords[reason]} for ${formatDuration(Math.max(0, nowMs - Date.parse(since)))}${tried}${left}`;
};

/** As a sentence of its own. */
export const waitSentence = (kind: string, { reason, since, problem, givesUpAt }: Wait): string =>
  [
    `The ${kind} waits for ${waitWords[reason]} since ${formatTime(since)}`,
    problem === null ? '' : `: ${problem.replace(/\.$/, '')}`,
    givesUpAt === null ? '.' : `. It gives up at ${formatTime(givesUpAt)}.`,
  ].join('');
