import { compareNames as compareBytes } from '../../archive/index.ts';

/** The order of Firestore's `__name__`, of names as text: that of the archive, because a backup is written in it. */
export const compareNames = (a: string, b: string): number => compareBytes(Buffer.from(a), Buffer.from(b));
