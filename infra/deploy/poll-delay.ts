const firstDelayMs = 250;
const lastDelayMs = 4_000;

/** How long to wait before the next look: soon at first, and then as rarely as CloudFormation likes to be asked. */
export const pollDelayMs = (look: number): number => Math.min(lastDelayMs, firstDelayMs * 1.5 ** look);
