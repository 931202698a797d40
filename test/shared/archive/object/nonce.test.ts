/** No key is used twice with the same nonce, and no two frames have the same binding. */
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { objectName } from '../../../../shared/archive/index.ts';
import { FrameBinding, frameNonce, objectKey } from '../../../../shared/archive/object/frame-binding.ts';
import { seed } from '../../../harness/builders/reported-seed.ts';
import { chance, dataKey, identity } from '../../../harness/builders/sample-archive.ts';

// B11. By construction: nonces ascend within an object, and no two objects share a key.
test('nonce: 1,000,000 frames of 1,000 objects under one data key have distinct key and nonce pairs', () => {
  const random = chance('objects');
  const keys = new Set<string>();
  for (let object = 0; object < 1_000; object++) {
    const header = { identity, name: objectName('chunk', object), salt: random(32), noncePrefix: random(7) };
    keys.add(objectKey(dataKey, header).export().toString('hex'));
    let before = frameNonce(header.noncePrefix, 0, false);
    for (let frame = 1; frame < 1_000; frame++) {
      const nonce = frameNonce(header.noncePrefix, frame, frame === 999);
      ok(Buffer.compare(before, nonce) < 0);
      before = nonce;
    }
  }
  equal(keys.size, 1_000);
});

test('object key: depends on the data key, the salt, the backup and the name', () => {
  const header = { identity, name: objectName('chunk', 1), salt: Buffer.alloc(32, 1), noncePrefix: Buffer.alloc(7) };
  const keyOf = (key: Buffer, change: object): string =>
    objectKey(key, { ...header, ...change })
      .export()
      .toString('hex');
  const keys = [
    keyOf(dataKey, {}),
    keyOf(Buffer.alloc(32), {}),
    keyOf(dataKey, { salt: Buffer.alloc(32, 2) }),
    keyOf(dataKey, { identity: { ...identity, backup: 'bkp_02' } }),
    keyOf(dataKey, { name: objectName('index', 1) }),
    keyOf(dataKey, { name: objectName('chunk', 1, 1) }),
  ];
  equal(new Set(keys).size, keys.length);
  throws(() => objectKey(Buffer.alloc(16), header), RangeError);
  throws(() => objectKey(dataKey, { ...header, salt: Buffer.alloc(16) }), RangeError);
});

const index = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const prefix = fc.uint8Array({ minLength: 7, maxLength: 7 });

test('nonce: distinct prefixes, numbers and ends give distinct nonces', (t) => {
  const place = fc.record({ prefix, index, last: fc.boolean() });
  fc.assert(
    fc.property(place, place, (a, b) => {
      const [left, right] = [frameNonce(a.prefix, a.index, a.last), frameNonce(b.prefix, b.index, b.last)];
      const same = Buffer.compare(a.prefix, b.prefix) === 0 && a.index === b.index && a.last === b.last;
      equal(left.equals(right), same);
      deepEqual([left.readUInt32BE(7), left[11]], [a.index, a.last ? 1 : 0]);
    }),
    { ...seed(t), numRuns: 2_000 },
  );
});

test('nonce: frame numbers end at 2^32 instead of wrapping around', () => {
  const zero = Buffer.alloc(7);
  frameNonce(zero, 2 ** 32 - 1, true);
  for (const number of [2 ** 32, -1, 0.5, Number.NaN]) throws(() => frameNonce(zero, number, true), RangeError);
  throws(() => frameNonce(Buffer.alloc(8), 0, true), RangeError);
});

const places = ['organization', 'project', 'backup'] as const;

test('binding: differs with organization, project, backup, name, number, end and length', (t) => {
  const header = { identity, name: objectName('chunk', 0), salt: Buffer.alloc(0), noncePrefix: Buffer.alloc(0) };
  const bindingOf = (
    of: typeof header,
    { at, last, length }: { readonly at: number; readonly last: boolean; readonly length: number },
  ): string => new FrameBinding(of).of(at, last, length).toString('hex');
  const base = bindingOf(header, { at: 1, last: false, length: 1 });
  const others = [
    ...places.map((place) =>
      bindingOf({ ...header, identity: { ...identity, [place]: 'other' } }, { at: 1, last: false, length: 1 }),
    ),
    bindingOf({ ...header, name: objectName('index', 0) }, { at: 1, last: false, length: 1 }),
    ...[
      bindingOf(header, { at: 2, last: false, length: 1 }),
      bindingOf(header, { at: 1, last: true, length: 1 }),
      bindingOf(header, { at: 1, last: false, length: 2 }),
    ],
  ];
  equal(new Set([base, ...others]).size, others.length + 1);
  equal(bindingOf(header, { at: 1, last: false, length: 1 }), base);
  // The same letters split differently between neighbours must differ too.
  const divided = (text: string, at: number, end: number): string => {
    const [organization, project, backup] = [text.slice(0, at), text.slice(at, end), text.slice(end)];
    return bindingOf({ ...header, identity: { organization, project, backup } }, { at: 1, last: false, length: 1 });
  };
  const text = fc.string({ unit: fc.constantFrom('a', '0'), minLength: 3, maxLength: 8 });
  fc.assert(
    fc.property(text, fc.nat(8), fc.nat(8), fc.nat(8), fc.nat(8), (letters, a, b, c, d) => {
      const [one, other] = [[a, a + b] as const, [c, c + d] as const];
      const same = [0, 1].every((i) => Math.min(one[i]!, letters.length) === Math.min(other[i]!, letters.length));
      equal(divided(letters, ...one) === divided(letters, ...other), same);
    }),
    { ...seed(t), numRuns: 2_000 },
  );
});
