/** Does the work for every element, a few at a time; the first failure ends it. */
export const concurrently = async <T>(
  elements: readonly T[],
  atOnce: number,
  work: (element: T) => Promise<unknown>,
): Promise<void> => {
  const waiting = elements.values();
  const worker = async (): Promise<void> => {
    for (const element of waiting) await work(element);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, elements.length) }, worker));
};
