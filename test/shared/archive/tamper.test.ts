/** Whatever is done to a sealed object is noticed before any of what it changed is given out. */
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'vitest';
import {
  ArchiveError,
  type ArchiveErrorCode,
  ChunkWriter,
  type Frame,
  type Identity,
  ObjectWriter,
  objectName,
  type ReadOptions,
  readChunk,
  readFrames,
} from '../../../shared/archive/index.ts';
import {
  addAll,
  all,
  chance,
  chunkName,
  dataKey,
  identity,
  refuses,
  samples,
  writing,
} from '../../harness/builders/sample-archive.ts';

const reading: ReadOptions = { identity, name: chunkName, dataKey };

/** A small object of some frames, and where each begins; the last border is its end. */
const small = (frames = 4, options = writing()) => {
  const writer = new ObjectWriter(chunkName, options);
  const borders = Array.from({ length: frames }, (_, i) =>
    writer.seal(Buffer.from(`frame ${i}: ${'x'.repeat(i)}`), i === frames - 1),
  ).map(({ offset }) => offset);
  const bytes = Buffer.concat(writer.take());
  return { bytes, borders: [...borders, bytes.length], entry: writer.entry(0) };
};
const framesOf = ({ bytes, borders }: ReturnType<typeof small>): Buffer[] =>
  borders.slice(0, -1).map((start, i) => bytes.subarray(start, borders[i + 1]));

/** What is given out before the error, and the error. */
const read = async (bytes: Buffer, options = reading): Promise<{ frames: Frame[]; code: ArchiveErrorCode | undefined }> => {
  const frames: Frame[] = [];
  try {
    for await (const frame of readFrames([bytes], options)) frames.push(frame);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return { frames, code: error.code };
  }
  return { frames, code: undefined };
};

test('an object reads back as it was written', async () => {
  const { frames, code } = await read(small().bytes);
  equal(code, undefined);
  deepEqual(
    frames.map(({ plain }) => String(plain)),
    ['frame 0: ', 'frame 1: x', 'frame 2: xx', 'frame 3: xxx'],
  );
  deepEqual(
    frames.map(({ last }) => last),
    [false, false, false, true],
  );
});

// B1. Flipping one bit and flipping all eight take different ways through parsers.
for (const flip of [0x01, 0x80, 0xff])
  test(`every byte, changed by ${flip}, is noticed, and nothing of its frame is given out`, async () => {
    const object = small();
    const seen = new Set<string>();
    for (let at = 0; at < object.bytes.length; at++) {
      const damaged = Buffer.from(object.bytes);
      damaged[at] = damaged[at]! ^ flip;
      const { frames, code } = await read(damaged);
      ok(code, `byte ${at} changed unnoticed`);
      seen.add(code);
      const whole = object.borders.slice(1).filter((border) => border <= at).length;
      ok(frames.length <= whole, `byte ${at}: ${frames.length} frames given out`);
    }
    for (const code of ['bad-magic', 'unsupported-version', 'tag-mismatch', 'truncated']) ok(seen.has(code), code);
  });

// B2, B3
test('an object cut at any length is noticed', async () => {
  const { bytes, borders } = small();
  for (let length = 0; length < bytes.length; length++) {
    const { frames, code } = await read(bytes.subarray(0, length));
    equal(code, 'truncated', `cut at ${length}`);
    ok(frames.length < 4 && frames.every(({ last }) => !last));
  }
  equal(borders.length, 5);
});

// B4
test('bytes after the last frame are noticed', async () => {
  const { bytes } = small();
  const single = small(1);
  equal((await read(Buffer.concat([bytes, Buffer.from([0])]))).code, 'trailing-data');
  equal((await read(Buffer.concat([bytes, bytes]))).code, 'trailing-data');
  equal((await read(Buffer.concat([single.bytes, Buffer.alloc(100)]))).code, 'trailing-data');
  // Also one more genuine frame.
  equal((await read(Buffer.concat([bytes, framesOf(small())[3]!]))).code, 'trailing-data');
});

// B5
test('frames swapped, doubled or dropped are noticed, and named as what they are', async () => {
  const object = small(6);
  const head = object.bytes.subarray(0, object.borders[0]);
  const [a, b, c, d, e, f] = framesOf(object) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
  const given = (...frames: Buffer[]): Promise<Awaited<ReturnType<typeof read>>> => read(Buffer.concat([head, ...frames]));
  equal((await given(a, b, c, d, e, f)).code, undefined);
  for (const frames of [
    [a, c, b, d, e, f],
    [a, b, b, c, d, e, f],
    [a, b, d, e, f],
    [b, c, d, e, f],
    [a, c, d, b, e, f],
  ])
    equal((await given(...frames)).code, 'frame-order');
  equal((await given(a, b, c, d, e)).code, 'truncated');
  equal((await given(f)).code, 'tag-mismatch');
  // The last frame cannot come early, nor can all of it be empty.
  equal((await given(a, b, c, d, f, e)).code, 'frame-order');
  equal((await given()).code, 'truncated');
});

// B6, B7: by the same key, as a mistake in handling keys would have it.
test('an object of another backup, organization, project or name does not pass, whatever its header says', async () => {
  const others: [Identity, string][] = [
    [{ ...identity, backup: 'bkp_02' }, chunkName],
    [{ ...identity, organization: 'org_02' }, chunkName],
    [{ ...identity, project: 'prj_02' }, chunkName],
    [identity, objectName('chunk', 1)],
    [identity, objectName('index', 0)],
  ];
  for (const [other, name] of others) {
    const writer = new ObjectWriter(name, writing('other', { identity: other }));
    writer.seal(Buffer.from('frame'), true);
    const bytes = Buffer.concat(writer.take());
    equal((await read(bytes)).code, 'wrong-backup');
    // Its header rewritten to say what is expected: then the frames themselves refuse.
    let text = bytes.toString('latin1');
    for (const [from, to] of [
      [other.backup, identity.backup],
      [other.organization, identity.organization],
      [other.project, identity.project],
      [name, chunkName],
    ] as const)
      text = text.replace(from, to);
    equal((await read(Buffer.from(text, 'latin1'))).code, 'tag-mismatch');
  }
});

test('another data key opens nothing', async () => {
  await refuses(all(readFrames([small().bytes], { ...reading, dataKey: chance('another key')(32) })), 'tag-mismatch');
});

// B10. Node takes tags of 12, 8 and 4 bytes unless told their length.
test('a shortened tag is refused', async () => {
  const writer = new ObjectWriter(chunkName, writing());
  const { offset } = writer.seal(chance('long')(200), true);
  const whole = Buffer.concat(writer.take());
  equal((await read(whole)).code, undefined);
  for (const kept of [12, 8, 4, 0]) {
    const bytes = Buffer.from(whole.subarray(0, whole.length - 16 + kept));
    bytes.writeUInt32BE(bytes.length - offset - 4, offset);
    equal((await read(bytes)).code, 'tag-mismatch', `${kept} bytes`);
  }
});

// B12
test('an object begun again has another salt, prefix and key: the same frame is never sealed twice under one nonce', () => {
  const random = chance('resume');
  const [first, again] = [small(2, writing('', { random })), small(2, writing('', { random }))];
  notEqual(first.entry.salt, again.entry.salt);
  notEqual(first.entry.noncePrefix, again.entry.noncePrefix);
  equal(first.entry.plainSha256, again.entry.plainSha256);
  ok(!framesOf(first)[0]!.equals(framesOf(again)[0]!));
});

test('frames of an earlier attempt at the same object do not pass in the later one', async () => {
  const random = chance('resume');
  const [first, again] = [small(3, writing('', { random })), small(3, writing('', { random }))];
  const mixed = Buffer.concat([again.bytes.subarray(0, again.borders[1]), ...framesOf(first).slice(1)]);
  equal((await read(mixed)).code, 'tag-mismatch');
  // The whole earlier object is genuine: only the manifest's entry tells.
  equal((await read(first.bytes)).code, undefined);
  const { frames, code } = await read(first.bytes, { ...reading, entry: again.entry });
  deepEqual([code, frames.length], ['hash-mismatch', 0]);
});

test('with an entry of the manifest, any difference in size, frames, hashes or records is noticed before the last frame is given out', async () => {
  const writer = new ChunkWriter(chunkName, writing());
  addAll(writer, samples(20));
  const entry = writer.finish();
  const bytes = Buffer.concat(writer.take());
  equal((await all(readChunk([bytes], { ...reading, entry }))).length, 1);
  const other = Buffer.alloc(32).toString('base64url');
  for (const change of [{ size: entry.size + 1 }, { frames: 3 }, { sha256: other }, { plainSha256: other }]) {
    const { frames, code } = await read(bytes, { ...reading, entry: { ...entry, ...change } });
    deepEqual([code, frames.length], ['hash-mismatch', 1], JSON.stringify(change));
  }
  await refuses(all(readChunk([bytes], { ...reading, entry: { ...entry, records: 19 } })), 'hash-mismatch');
});

test('an error of the source passes through as it is: a store out of reach is not a damaged object', async () => {
  const { bytes } = small();
  async function* broken() {
    yield bytes.subarray(0, 100);
    throw new Error('connection reset');
  }
  let error: unknown;
  try {
    await all(readFrames(broken(), reading));
  } catch (caught) {
    error = caught;
  }
  ok(error instanceof Error && !(error instanceof ArchiveError) && error.message === 'connection reset');
});

test('pieces of any size make the same frames, and a reader that stops closes the source', async () => {
  const { bytes } = small();
  for (const size of [1, 2, 3, 7, 64, 1000]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
    equal((await all(readFrames(pieces, reading))).length, 4);
  }
  let closed = false;
  async function* source() {
    try {
      for (const byte of bytes) yield Buffer.from([byte]);
    } finally {
      closed = true;
    }
  }
  for await (const _ of readFrames(source(), reading)) break;
  ok(closed);
});
