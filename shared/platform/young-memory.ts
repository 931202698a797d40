/** Memory of a process through which many large buffers pass, each of which is used for a moment only. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { warm } from './warm.ts';

/** Keeps the young generation of this process as small as it is at the start, because what passes through is garbage at once. */
export const keepYoungSmall = (): void => setFlagsFromString('--semi-space-growth-factor=1');

type Collect = (options: { readonly type: 'minor' }) => void;

const collector = warm((): Collect => {
  keepYoungSmall();
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
});

/**
 * Frees buffers that were used last a moment ago, within about a millisecond. V8 counts them little: left alone it frees them together with
 * older garbage, when there are 64 MiB of them, or 90 on a busy core.
 */
export const freeBuffers = (): void => collector()({ type: 'minor' });
