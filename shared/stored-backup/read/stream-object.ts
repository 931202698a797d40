import type { ObjectStore } from '../../destination/index.ts';
import { prefetch } from '../../platform/index.ts';

/** Pieces are fetched ahead, because one stream of a store is slower than a core can verify. */
const pieceBytes = 8 << 20;
const ahead = 2;

/** The bytes of an object, in order. Holds at most three pieces in memory. */
export const streamObject = (
  store: ObjectStore,
  { name, size }: { readonly name: string; readonly size: number },
): AsyncGenerator<Uint8Array, void, undefined> => {
  const offsets = Array.from({ length: Math.ceil(size / pieceBytes) }, (_, n) => n * pieceBytes);
  return prefetch(offsets, ahead, (offset) => store.get(name, { offset, length: Math.min(pieceBytes, size - offset) }));
};
