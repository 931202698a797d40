/** Parsers return a value or a typed error for any input, in bounded time and memory. */
import { equal, notEqual, ok } from 'node:assert/strict';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { test } from 'vitest';
import {
  ArchiveError,
  ChunkWriter,
  DocumentSkim,
  Leaf,
  ObjectWriter,
  openManifest,
  parseKeyFile,
  readChunk,
  readFrames,
  readIndex,
} from '../../../shared/archive/index.ts';
import { FrameBinding, frameNonce, objectKey } from '../../../shared/archive/object/frame-binding.ts';
import { encodeHeader, parseHeader } from '../../../shared/archive/object/header.ts';
import { decodePage, encodePage } from '../../../shared/archive/page/index-page.ts';
import { gcmSeal } from '../../../shared/archive/primitives/aes-gcm.ts';
import { compress, decompress } from '../../../shared/archive/primitives/zstd.ts';
import { propertyRuns } from '../../harness/builders/property-runs.ts';
import { seed } from '../../harness/builders/reported-seed.ts';
import {
  addAll,
  all,
  chance,
  chunkName,
  dataKey,
  identity,
  indexName,
  refuses,
  refusesNow,
  samples,
  writing,
} from '../../harness/builders/sample-archive.ts';

const reading = { identity, name: chunkName, dataKey };

/** Runs to the end or to an ArchiveError. */
const survives = (work: () => unknown): void => {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
  }
};
const survivesLater = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
  }
};

/** Genuine bytes with some positions overwritten, removed or duplicated. */
const damaged = (original: Buffer): fc.Arbitrary<Buffer> =>
  fc
    .array(
      fc.tuple(
        fc.nat(original.length - 1),
        fc.constantFrom('set', 'flip', 'cut', 'double'),
        fc.uint8Array({ minLength: 1, maxLength: 8 }),
      ),
      {
        minLength: 1,
        maxLength: 6,
      },
    )
    .map((edits) => {
      let bytes = Buffer.from(original);
      for (const [at, how, given] of edits) {
        const place = Math.min(at, Math.max(0, bytes.length - 1));
        if (how === 'set') bytes.set(given.subarray(0, bytes.length - place), place);
        else if (how === 'flip' && bytes.length > 0) bytes[place] = (bytes[place] ?? 0) ^ (1 << ((given[0] ?? 0) & 7));
        else if (how === 'cut') bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + (given[0] ?? 1))]);
        else bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place, place + 40), bytes.subarray(place)]);
      }
      return bytes;
    });
const anything = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));

const genuine = () => {
  const writer = new ChunkWriter(chunkName, writing());
  addAll(writer, samples(12));
  writer.finish();
  const chunk = Buffer.concat(writer.take());
  return { chunk, head: chunk.subarray(0, chunk.indexOf('}') + 1) };
};
/** Keys and bodies of a leaf before sealing. */
const plainLeaf = async (): Promise<readonly [Buffer, Buffer]> => {
  const [keys, bodies] = (await all(readFrames([genuine().chunk], reading))).map(({ plain }) => plain);
  return [keys!, bodies!];
};
const page = encodePage(
  Array.from({ length: 5 }, (_, i) => ({
    backup: 'bkp_01',
    object: chunkName,
    frame: 2 * i,
    offset: 1_000 * i,
    keysLength: 300,
    bodiesLength: 700,
    records: 50,
    start: i,
    count: 10,
    first: Buffer.from(`a/${i}`),
    keysSha256: chance('k')(32),
    bodiesSha256: chance('b')(32),
  })),
);

test('parsers: any bytes give a value or a typed error', async (t) => {
  const { chunk, head } = genuine();
  const [keys, bodies] = await plainLeaf();
  const keyFile = Buffer.from(
    JSON.stringify({ format: 'FBK2 key', version: 2, ...identity, wraps: [{ kind: 'kms', keyId: 'k', blob: 'AAAA' }] }),
  );
  const [document] = samples(1).map(({ bytes }) => bytes);
  const skim = new DocumentSkim();
  const options = { ...seed(t), numRuns: propertyRuns({ quick: 300, usual: 1_500 }) };
  fc.assert(
    fc.property(fc.oneof(anything, damaged(head.subarray(9))), (bytes) => survives(() => parseHeader(bytes))),
    options,
  );
  fc.assert(
    fc.property(fc.oneof(anything, damaged(keys)), (bytes) => survives(() => new Leaf(bytes, bodies))),
    options,
  );
  fc.assert(
    fc.property(fc.oneof(anything, damaged(keys)), (bytes) => survives(() => readEverything(new Leaf(bytes)))),
    options,
  );
  fc.assert(
    fc.property(fc.oneof(anything, damaged(page)), (bytes) => survives(() => decodePage(bytes))),
    options,
  );
  fc.assert(
    fc.property(fc.oneof(anything, damaged(keyFile)), (bytes) => survives(() => parseKeyFile(bytes))),
    options,
  );
  fc.assert(
    fc.property(fc.oneof(anything, damaged(document!)), (bytes) => survives(() => skim.read(bytes, 0, bytes.length))),
    options,
  );
  fc.assert(
    fc.property(fc.oneof(anything, damaged(compress(keys, 3))), fc.nat(100_000), (bytes, length) =>
      survives(() => decompress(bytes, length)),
    ),
    options,
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(anything, damaged(chunk)), (bytes) => survivesLater(() => all(readChunk([bytes], reading)))),
    { ...options, numRuns: propertyRuns({ quick: 100, usual: 500 }) },
  );
});

const readEverything = (leaf: Leaf): void => {
  for (let slot = 0; slot < leaf.count; slot++) {
    ok(leaf.name(slot).length > 0);
    ok(leaf.updated(slot).nanos < 1e9 && leaf.created(slot).nanos < 1e9);
    leaf.kind(slot);
  }
};

/** A frame sealed with the right key, whatever its content, as an importer with their own passphrase could make it. */
const sealedObject = (plain: Buffer, name = chunkName): Buffer => {
  const writer = new ObjectWriter(name, writing('hostile'));
  writer.seal(plain, true);
  return Buffer.concat(writer.take());
};

test('parsers: reject malformed content that is sealed with the right key', async (t) => {
  const options = { ...seed(t), numRuns: 200 };
  await fc.assert(
    fc.asyncProperty(fc.oneof(anything, damaged(page)), (bytes) =>
      survivesLater(() => all(readIndex([sealedObject(bytes, indexName)], { ...reading, name: indexName }))),
    ),
    options,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        anything,
        fc.json().map((json) => Buffer.from(json)),
      ),
      async (bytes) => {
        await refuses(openManifest(sealedObject(bytes, 'manifest'), reading), 'manifest-invalid', 'unsupported-version');
      },
    ),
    options,
  );
});

/** Additional memory in use at the end, in MiB. */
const grown = async (work: () => unknown): Promise<number> => {
  const before = process.memoryUsage();
  await work();
  const after = process.memoryUsage();
  return (after.heapUsed + after.external - before.heapUsed - before.external) / 1024 / 1024;
};

test('parsers: declared lengths are rejected before anything is allocated or awaited', async () => {
  const { chunk, head } = genuine();
  const header = (length: number): Buffer => {
    const bytes = Buffer.from(chunk);
    bytes.writeUInt32BE(length, 5);
    return bytes;
  };
  const frame = (length: number): Buffer => {
    const bytes = Buffer.from(chunk);
    bytes.writeUInt32BE(length, head.length);
    return bytes;
  };
  const memory = await grown(async () => {
    await refuses(all(readFrames([header(65_537)], reading)), 'too-large');
    await refuses(all(readFrames([header(2 ** 32 - 1)], reading)), 'too-large');
    await refuses(all(readFrames([header(65_536)], reading)), 'truncated');
    await refuses(all(readFrames([header(0)], reading)), 'header-invalid');
    for (const length of [2 ** 32 - 1, 2 ** 31, 9 * 1024 * 1024])
      await refuses(all(readFrames([frame(length)], reading)), 'too-large');
    for (const length of [0, 1, 16, 28]) await refuses(all(readFrames([frame(length)], reading)), 'truncated');
    // An endless source after such a length is not read.
    let read = 0;
    function* endless() {
      yield frame(2 ** 32 - 1).subarray(0, head.length + 4);
      for (; read < 1_000; read++) yield Buffer.alloc(1024 * 1024);
    }
    await refuses(all(readFrames(endless(), reading)), 'too-large');
    equal(read, 0);
  });
  ok(memory < 8, `${memory} MiB`);
});

test('header: rejects 64 KiB of brackets', () => {
  for (const text of ['['.repeat(65_536), `${'{"a":'.repeat(10_000)}`, `"${'x'.repeat(65_000)}"`, '{"__proto__":{}}'])
    refusesNow(() => parseHeader(Buffer.from(text)), 'header-invalid');
});

test('header: rejects every non-canonical spelling', () => {
  const whole = encodeHeader({ identity, name: chunkName, salt: Buffer.alloc(32, 1), noncePrefix: Buffer.alloc(7, 2) });
  const json = whole.subarray(9).toString();
  ok(parseHeader(Buffer.from(json)));
  for (const other of [
    ` ${json}`,
    `${json}\n`,
    json.replace(':', ': '),
    json.replace('org_01', '\\u006frg_01'),
    json.replace('}', ',"more":1}'),
    json.replace('"organization":"org_01",', '').replace('}', ',"organization":"org_01"}'),
    json.replace('"organization":"org_01"', '"organization":"org_02","organization":"org_01"'),
    json.replace('AES-256-GCM', 'AES-128-GCM'),
    json.replace('"zstd"', '"none"'),
    json.replace('AQEB', 'AQE+'),
    // Two bits of the last letter have no meaning.
    json.replace(/E(","noncePrefix)/, 'F$1'),
  ]) {
    notEqual(other, json);
    refusesNow(() => parseHeader(Buffer.from(other)), 'header-invalid');
  }
});

test('decompress: a bomb of 200 MiB in 6 KB takes no more than its declared length', async () => {
  const bomb = zstdCompressSync(Buffer.alloc(200 * 1024 * 1024), { chunkSize: 1 << 20 });
  ok(bomb.length < 10_000);
  const memory = await grown(() => {
    for (const length of [0, 1, 1_000, 1024 * 1024, 8 * 1024 * 1024])
      refusesNow(() => decompress(bomb, length), 'decompression-failed');
    refusesNow(() => decompress(bomb, 8 * 1024 * 1024 + 1), 'too-large');
    refusesNow(() => decompress(bomb, 2 ** 32 - 1), 'too-large');
  });
  ok(memory < 24, `${memory} MiB`);
  // Five bytes that request a window of 128 MiB, which would be allocated before the first output.
  const asking = (window: number): Buffer =>
    Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (window - 10) << 3, 0x29, 0, 0]), Buffer.from('hello')]);
  equal(String(decompress(asking(23), 5)), 'hello');
  for (const window of [24, 27, 31]) refusesNow(() => decompress(asking(window), 5), 'decompression-failed');
});

test('decompress: rejects zstd with less, more or other data than declared', () => {
  const plain = Buffer.from('some text '.repeat(100));
  const packed = compress(plain, 3);
  ok(decompress(packed, plain.length).equals(plain));
  for (const length of [plain.length - 1, plain.length + 1, 0])
    refusesNow(() => decompress(packed, length), 'decompression-failed');
  refusesNow(() => decompress(Buffer.concat([packed, packed]), plain.length), 'decompression-failed');
  refusesNow(() => decompress(Buffer.concat([packed, Buffer.from('x')]), plain.length), 'decompression-failed');
  refusesNow(() => decompress(packed.subarray(0, -1), plain.length), 'decompression-failed');
  refusesNow(() => decompress(Buffer.alloc(0), 0), 'decompression-failed');
  equal(decompress(compress(Buffer.alloc(0), 3), 0).length, 0);
});

test('leaf: names, records and bodies expanded from few bytes are bounded', async () => {
  const keysOf = (
    count: number,
    { shared, suffix, bodies }: { readonly shared: number; readonly suffix: number; readonly bodies: number },
  ): Buffer => {
    const columns = Buffer.alloc(29 * count);
    columns.fill(1, 0, count);
    for (let slot = 0; slot < count; slot++) {
      columns.writeUInt8(slot === 0 ? 0 : shared >> 8, count + slot);
      columns.writeUInt8(slot === 0 ? 0 : shared & 0xff, 2 * count + slot);
      columns.writeUInt8(slot === 0 ? 0xff : suffix >> 8, 3 * count + slot);
      columns.writeUInt8(slot === 0 ? 0xff : suffix & 0xff, 4 * count + slot);
      columns.writeUInt8(bodies, 5 * count + slot);
    }
    const start = Buffer.alloc(5);
    start.writeUInt32BE(count, 1);
    return Buffer.concat([start, columns, Buffer.alloc(0xffff + suffix * (count - 1), 'n')]);
  };
  const memory = await grown(() => {
    refusesNow(() => new Leaf(keysOf(20_000, { shared: 0xffff, suffix: 0, bodies: 0 })), 'too-large');
    refusesNow(() => new Leaf(keysOf(100, { shared: 0, suffix: 1, bodies: 0xff })), 'too-large');
    const many = Buffer.alloc(5);
    many.writeUInt32BE(2 ** 32 - 1, 1);
    refusesNow(() => new Leaf(many), 'too-large');
    many.writeUInt32BE(65_536, 1);
    refusesNow(() => new Leaf(many), 'record-invalid');
  });
  ok(memory < 24, `${memory} MiB`);
  equal(new Leaf(keysOf(3, { shared: 5, suffix: 1, bodies: 0 })).count, 3);
});

test('index page: names expanded from few bytes are bounded', () => {
  const place = {
    backup: 'bkp_01',
    object: chunkName,
    frame: 0,
    offset: 0,
    keysLength: 100,
    bodiesLength: 100,
    records: 1,
    start: 0,
    count: 1,
  };
  const long = Buffer.alloc(65_535, 'n');
  const segments = Array.from({ length: 200 }, (_, i) => {
    const first = Buffer.from(long);
    first[65_534] = 0x30 + i;
    return { ...place, first, keysSha256: Buffer.alloc(32), bodiesSha256: Buffer.alloc(32) };
  });
  ok(decodePage(encodePage(segments.slice(0, 100))));
  refusesNow(() => decodePage(encodePage(segments)), 'too-large');
});

test('readChunk: rejects leaves whose names do not ascend', async () => {
  const writer = new ObjectWriter(chunkName, writing('leaves'));
  const [keys, bodies] = await plainLeaf();
  for (const last of [false, true]) {
    writer.seal(keys, false);
    writer.seal(bodies, last);
  }
  await refuses(all(readChunk([Buffer.concat(writer.take())], reading)), 'record-invalid');
});

test('leaf: rejects malformed frames', async () => {
  const [keys, bodies] = await plainLeaf();
  const count = keys.readUInt32BE(1);
  const changed = (at: number, value: number): Buffer => {
    const bytes = Buffer.from(keys);
    bytes[at] = value;
    return bytes;
  };
  const plane = (number: number, slot = 1): number => 5 + number * count + slot;
  ok(new Leaf(keys, bodies));
  for (const bytes of [
    ...[
      changed(0, 2),
      changed(0, 255),
      changed(4, count - 1),
      changed(4, count + 1),
      keys.subarray(0, -1),
      Buffer.concat([keys, Buffer.from('x')]),
    ],
    // Unknown kind, unknown flag, a trimmed tombstone, too much shared, other bodies, impossible nanoseconds.
    ...[changed(plane(0), 0x04), changed(plane(0), 0xf1), changed(plane(0), 0x12), changed(plane(1), 0xff), changed(plane(8), 0)],
    ...[changed(plane(14), 0xff), changed(plane(17), 0xff), changed(plane(24), 0xff), changed(plane(27), 0xff)],
    // Names out of order.
    changed(keys.length - 1, 0x21),
    changed(plane(2), 0x00),
  ])
    refusesNow(() => new Leaf(bytes, bodies), 'record-invalid', 'too-large');
  refusesNow(() => new Leaf(keys, bodies.subarray(1)), 'record-invalid');
  refusesNow(() => new Leaf(keys, Buffer.alloc(0)), 'record-invalid');
});

test('readChunk: rejects a chunk whose last frame has no partner', async () => {
  const [keys] = await plainLeaf();
  await refuses(all(readChunk([sealedObject(keys)], reading)), 'record-invalid');
});

test('readFrames: rejects an authentic frame whose declared length is wrong', async () => {
  const header = { identity, name: chunkName, salt: Buffer.alloc(32), noncePrefix: Buffer.alloc(7) };
  const plain = chance('plain')(5_000);
  const objectOf = (declared: number, content: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(declared);
    const binding = new FrameBinding(header).of(0, true, 4 + content.length);
    const { pieces, tag } = gcmSeal(objectKey(dataKey, header), {
      nonce: frameNonce(header.noncePrefix, 0, true),
      binding,
      pieces: [length, content],
    });
    const frame = Buffer.concat([...pieces, tag]);
    const frameLength = Buffer.alloc(4);
    frameLength.writeUInt32BE(frame.length);
    return Buffer.concat([encodeHeader(header), frameLength, frame]);
  };
  const packed = compress(plain, 3);
  equal((await all(readFrames([objectOf(5_000, packed)], reading))).length, 1);
  for (const declared of [0, 4_999, 5_001, 8 * 1024 * 1024])
    await refuses(all(readFrames([objectOf(declared, packed)], reading)), 'decompression-failed');
  await refuses(all(readFrames([objectOf(2 ** 32 - 1, packed)], reading)), 'too-large');
  await refuses(all(readFrames([objectOf(5_000, plain)], reading)), 'decompression-failed');
});
