/**
 * How long a workflow pauses between two looks at what it waits for: the longer it has waited, the longer. Step Functions ends an
 * execution at 25,000 events of its history, and every look makes nine.
 */
export const waitPauses = [
  { untilSeconds: 60, pauseSeconds: 5 },
  { untilSeconds: 5 * 60, pauseSeconds: 15 },
  { untilSeconds: 3_600, pauseSeconds: 60 },
  { untilSeconds: 6 * 3_600, pauseSeconds: 300 },
  { untilSeconds: Number.POSITIVE_INFINITY, pauseSeconds: 900 },
] as const;

const [, , , , longest] = waitPauses;

/** After so many seconds of waiting. */
export const pauseAfter = (waitedSeconds: number): (typeof waitPauses)[number]['pauseSeconds'] =>
  (waitPauses.find(({ untilSeconds }) => waitedSeconds < untilSeconds) ?? longest).pauseSeconds;
