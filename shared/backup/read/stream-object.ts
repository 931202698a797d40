import type { ObjectStore } from '../../destination/index.ts';

/** Fetched at once and, while it is worked on, ahead: one stream of a store gives less than a core can check. */
const pieceBytes = 8 << 20;
const ahead = 2;

/** The bytes of an object, in order; memory is that of three pieces. */
export async function* streamObject(
  store: ObjectStore,
  { name, size }: { readonly name: string; readonly size: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const coming: Promise<Uint8Array>[] = [];
  for (let offset = 0; offset < size || coming.length > 0; offset += pieceBytes) {
    if (offset < size) {
      const next = store.get(name, { offset, length: Math.min(pieceBytes, size - offset) });
      // Whoever waits for it hears of it when its turn comes.
      next.catch(() => undefined);
      coming.push(next);
    }
    const [first] = coming;
    if (first && (coming.length > ahead || offset + pieceBytes >= size)) {
      coming.shift();
      yield await first;
    }
  }
}
