/** How often bytes that fail their check are fetched again before the object counts as damaged. */
export const rereadsMax = 2;

/**
 * Runs `read`; `again` counts the reads before it. A read that fails with a doubtful error is repeated twice: the object may be
 * intact, and only its transfer damaged.
 */
export const reread = async <T>(
  read: (again: number) => Promise<T>,
  isDoubtful: (error: unknown) => boolean | Promise<boolean>,
): Promise<T> => {
  for (let again = 0; ; again++)
    try {
      return await read(again);
    } catch (error) {
      if (again >= rereadsMax || !(await isDoubtful(error))) throw error;
    }
};
