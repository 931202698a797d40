import type { ObjectStore } from '../../destination/index.ts';

/** Pieces are fetched ahead, because one stream of a store is slower than a core can verify. */
const pieceBytes = 8 << 20;
const ahead = 2;

/** The bytes of an object, in order. Holds at most three pieces in memory. */
export async function* streamObject(
  store: ObjectStore,
  { name, size }: { readonly name: string; readonly size: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const pending: Promise<Uint8Array>[] = [];
  for (let offset = 0; offset < size || pending.length > 0; offset += pieceBytes) {
    if (offset < size) {
      const next = store.get(name, { offset, length: Math.min(pieceBytes, size - offset) });
      // The error surfaces when the piece is awaited.
      next.catch(() => undefined);
      pending.push(next);
    }
    const [first] = pending;
    if (first && (pending.length > ahead || offset + pieceBytes >= size)) {
      pending.shift();
      yield await first;
    }
  }
}
