import { compareNames as compareBytes } from '../../archive/index.ts';

/** Firestore `__name__` order of names as text, the order in which backups are written. */
export const compareNames = (a: string, b: string): number => compareBytes(Buffer.from(a), Buffer.from(b));
