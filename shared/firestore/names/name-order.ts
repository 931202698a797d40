import { compareNames } from '../../archive/index.ts';

/** Firestore `__name__` order of names as text, the order in which backups are written. */
export const compareTextNames = (a: string, b: string): number => compareNames(Buffer.from(a), Buffer.from(b));
