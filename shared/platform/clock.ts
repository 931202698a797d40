/** The source of the current time. Tests replace it. */
export interface Clock {
  now(): Date;
}

export const clock: Clock = { now: () => new Date() };

export const iso = (date: Date): string => date.toISOString();
export const epochSeconds = (date: Date): number => Math.floor(date.getTime() / 1_000);
export const after = (date: Date, seconds: number): Date => new Date(date.getTime() + seconds * 1_000);

/** '2025-01-08T09:30:00.000Z' → '2025-01-08 09:30 UTC' */
export const utcMinute = (moment: string): string => `${moment.slice(0, 16).replace('T', ' ')} UTC`;
