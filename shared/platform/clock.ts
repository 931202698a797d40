/** Time comes in through here, so that a test can hold it still. */
export interface Clock {
  now(): Date;
}

export const clock: Clock = { now: () => new Date() };

export const iso = (moment: Date): string => moment.toISOString();
export const epochSeconds = (moment: Date): number => Math.floor(moment.getTime() / 1_000);
export const after = (moment: Date, seconds: number): Date => new Date(moment.getTime() + seconds * 1_000);
