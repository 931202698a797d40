/** No key is ever used twice with one nonce, and no two places of an archive are bound to the same bytes. */
import { deepEqual, equal, notDeepEqual, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FrameBinding, frameNonce, objectKey } from '../../../shared/archive/binding.ts';
import { objectName } from '../../../shared/archive/index.ts';
import { chance, dataKey, identity } from './sample.ts';
import { seed } from './seed.ts';

// B11. By construction: within an object nonces ascend, and no two objects share a key.
test('1,000,000 frames of 1,000 objects under one data key: all pairs of key and nonce differ', () => {
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

test('the key changes with the data key, the salt, the backup and the name', () => {
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

test('a nonce tells prefix, number and end, so that different ones never meet', (t) => {
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

test('frame numbers end at 2^32: one more would begin again', () => {
  const zero = Buffer.alloc(7);
  frameNonce(zero, 2 ** 32 - 1, true);
  for (const number of [2 ** 32, -1, 0.5, Number.NaN]) throws(() => frameNonce(zero, number, true), RangeError);
  throws(() => frameNonce(Buffer.alloc(8), 0, true), RangeError);
});

/** Short ids of few letters, so that they often would meet without their lengths. */
const id = fc.string({ unit: fc.constantFrom('a', 'b', '0', '.', '-'), minLength: 1, maxLength: 4 });

test('what a frame is bound to differs wherever anything differs: organization, project, backup, name, number, end, length', (t) => {
  const place = fc.record({
    ...{
      organization: id,
      project: id,
      backup: id,
      name: fc.constantFrom('manifest', objectName('chunk', 0), objectName('index', 0)),
    },
    ...{ index: fc.nat(3), last: fc.boolean(), length: fc.nat(3) },
  });
  const bindingOf = ({ name, index, last, length, ...of }: typeof place extends fc.Arbitrary<infer T> ? T : never): Buffer =>
    Buffer.from(
      new FrameBinding({ identity: of, name, salt: Buffer.alloc(0), noncePrefix: Buffer.alloc(0) }).of(index, last, length),
    );
  fc.assert(
    fc.property(place, place, (a, b) => {
      if (JSON.stringify(a) === JSON.stringify(b)) deepEqual(bindingOf(a), bindingOf(b));
      else notDeepEqual(bindingOf(a), bindingOf(b));
    }),
    { ...seed(t), numRuns: 5_000 },
  );
});
