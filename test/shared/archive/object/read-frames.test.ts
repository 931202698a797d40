/** Any modification of a sealed object is detected before modified content is returned. */
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
} from '../../../../shared/archive/index.ts';
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
} from '../../../harness/builders/sample-archive.ts';

const reading: ReadOptions = { identity, name: chunkName, dataKey };

/** A small object of some frames, and the offset of each; the last offset is its end. */
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

/** The frames returned before the error, and the error. */
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

test('readFrames: an object reads back as written', async () => {
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

// B1. Flipping one bit and flipping all eight take different paths through parsers.
for (const flip of [0x01, 0x80, 0xff])
  test(`readFrames: every byte changed by ${flip} is detected, and nothing of its frame is returned`, async () => {
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
test('readFrames: truncation at any length is detected', async () => {
  const { bytes, borders } = small();
  for (let length = 0; length < bytes.length; length++) {
    const { frames, code } = await read(bytes.subarray(0, length));
    equal(code, 'truncated', `cut at ${length}`);
    ok(frames.length < 4 && frames.every(({ last }) => !last));
  }
  equal(borders.length, 5);
});

// B4
test('readFrames: bytes after the last frame are detected', async () => {
  const { bytes } = small();
  const single = small(1);
  equal((await read(Buffer.concat([bytes, Buffer.from([0])]))).code, 'trailing-data');
  equal((await read(Buffer.concat([bytes, bytes]))).code, 'trailing-data');
  equal((await read(Buffer.concat([single.bytes, Buffer.alloc(100)]))).code, 'trailing-data');
  // Also one more genuine frame.
  equal((await read(Buffer.concat([bytes, framesOf(small())[3]!]))).code, 'trailing-data');
});

// B5
test('readFrames: swapped, duplicated and dropped frames are detected and diagnosed', async () => {
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
  // The last frame can neither come early nor be the only one.
  equal((await given(a, b, c, d, f, e)).code, 'frame-order');
  equal((await given()).code, 'truncated');
});

// B6, B7: with the same key, as after a mistake in key handling.
test('readFrames: rejects an object of another owner or name, whatever its header says', async () => {
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
    // The header is rewritten to the expected values: the frames themselves fail.
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

test('readFrames: another data key opens nothing', async () => {
  await refuses(all(readFrames([small().bytes], { ...reading, dataKey: chance('another key')(32) })), 'tag-mismatch');
});

// B10. By default Node accepts tags of 12, 8 and 4 bytes.
test('readFrames: rejects a shortened tag', async () => {
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
test('object writer: a restarted object has a new salt, prefix and key, so no nonce is reused', () => {
  const random = chance('resume');
  const [first, again] = [small(2, writing('', { random })), small(2, writing('', { random }))];
  notEqual(first.entry.salt, again.entry.salt);
  notEqual(first.entry.noncePrefix, again.entry.noncePrefix);
  equal(first.entry.plainSha256, again.entry.plainSha256);
  ok(!framesOf(first)[0]!.equals(framesOf(again)[0]!));
});

test('readFrames: rejects frames of an earlier attempt at the same object', async () => {
  const random = chance('resume');
  const [first, again] = [small(3, writing('', { random })), small(3, writing('', { random }))];
  const mixed = Buffer.concat([again.bytes.subarray(0, again.borders[1]), ...framesOf(first).slice(1)]);
  equal((await read(mixed)).code, 'tag-mismatch');
  // The whole earlier object is genuine: only the manifest entry differs.
  equal((await read(first.bytes)).code, undefined);
  const { frames, code } = await read(first.bytes, { ...reading, entry: again.entry });
  deepEqual([code, frames.length], ['hash-mismatch', 0]);
});

test('readFrames: with a manifest entry, any difference is detected before the last frame is returned', async () => {
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

test('readFrames: errors of the source pass through, because an unreachable store is not damage', async () => {
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

test('readFrames: the piece size does not matter, and a reader that stops closes the source', async () => {
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
