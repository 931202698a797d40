/** No piece is overwritten while it is in use, and unused memory can be reclaimed. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { ByteArena, type Piece } from '../../../../shared/pitr/point/byte-arena.ts';

const textOf = ({ slab, start, end }: Piece): string => slab.bytes.subarray(start, end).toString();

test('byte arena: after any puts, drops and packs every piece has its bytes', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), text: fc.string({ maxLength: 40, unit: 'grapheme-ascii' }) }),
    fc.record({ kind: fc.constantFrom('drop' as const, 'pack' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const slabs = new ByteArena(16);
      const there: { piece: Piece; text: string }[] = [];
      for (const one of steps) {
        if (one.kind === 'put') there.push({ piece: slabs.put(Buffer.from('>'), Buffer.from(one.text)), text: `>${one.text}` });
        else if (one.kind === 'pack') slabs.pack(there.map(({ piece }) => piece));
        else for (const { piece } of there.splice(0, 1)) slabs.drop(piece);
        deepEqual(
          there.map(({ piece }) => textOf(piece)),
          there.map(({ text }) => text),
        );
      }
    }),
    { numRuns: 200 },
  );
});

test('byte arena: dropped bytes are idle until packed; then at most the rest of a slab is', () => {
  const slabs = new ByteArena(1_000);
  let last = slabs.put(Buffer.alloc(90));
  for (let n = 0; n < 100; n++) {
    slabs.drop(last);
    last = slabs.put(Buffer.alloc(90));
  }
  ok(slabs.idleBytes > 9_000);
  slabs.pack([last]);
  equal(slabs.idleBytes, 1_000 - 90);
});
