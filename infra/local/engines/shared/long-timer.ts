/** Timers beyond the 24.8 days that setTimeout supports. */

const longestMs = 2 ** 31 - 1;

/** Runs at the given time, or at once if it has passed. Returns a function that cancels it. */
export const setLongTimer = (atMs: number, run: () => void): (() => void) => {
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const leftMs = Math.max(atMs - Date.now(), 0);
    timer = leftMs > longestMs ? setTimeout(arm, longestMs) : setTimeout(run, leftMs);
  };
  arm();
  return () => clearTimeout(timer);
};
