/** Timers that may lie further ahead than the 24.8 days a plain one can hold. */

const longestMs = 2 ** 31 - 1;

/** Runs at that moment, at once if it has passed; the answer calls it off. */
export const setAlarm = (atMs: number, run: () => void): (() => void) => {
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const leftMs = Math.max(atMs - Date.now(), 0);
    timer = leftMs > longestMs ? setTimeout(arm, longestMs) : setTimeout(run, leftMs);
  };
  arm();
  return () => clearTimeout(timer);
};
