import { createHash, hash } from 'node:crypto';
import { ArchiveError } from '../primitives/archive-error.ts';
import { ByteQueue, type ByteSource } from '../primitives/byte-queue.ts';
import { encodeBase64 } from '../primitives/bytes.ts';
import { frameLengthBytes, maxFrames } from '../primitives/format-limits.ts';
import { checkSameIdentity, type Identity } from '../primitives/identity.ts';
import { FrameOpener, sealedLength } from './frame-opener.ts';
import { type Header, headerLength, parseHeader, preambleBytes } from './header.ts';
import type { FrameLocation, ObjectEntry } from './object-writer.ts';

export interface ReadOptions {
  readonly identity: Identity;
  readonly name: string;
  readonly dataKey: Uint8Array;
  /** The entry of the manifest. With it, any other object is rejected, even a genuine one of an earlier attempt. */
  readonly entry?: ObjectEntry | undefined;
}

/** An authenticated frame at its position. */
export interface Frame extends FrameLocation {
  readonly last: boolean;
  readonly plain: Buffer;
}

/**
 * Reads all frames of an object and yields each one once it is verified. Completing the iteration proves the object: all frames
 * present and in order, exactly one last frame, no trailing bytes, and with an entry matching hashes.
 */
export async function* readFrames(source: ByteSource, options: ReadOptions): AsyncGenerator<Frame, void, undefined> {
  const queue = new ByteQueue(source);
  try {
    yield* framesOf(queue, options);
  } finally {
    await queue.close();
  }
}

async function* framesOf(queue: ByteQueue, options: ReadOptions): AsyncGenerator<Frame, void, undefined> {
  const { entry } = options;
  const header = await readHeader(queue, options);
  const opener = new FrameOpener(header, options.dataKey);
  const plainHash = createHash('sha256');
  let offset = queue.received - queue.heldBytes;
  for (let index = 0; index < maxFrames; index++) {
    if (!(await queue.has(frameLengthBytes))) throw new ArchiveError('truncated', `the object ends before frame ${index}`);
    const length = frameLengthBytes + sealedLength(queue.peek(frameLengthBytes));
    if (!(await queue.has(length))) throw new ArchiveError('truncated', `the object ends within frame ${index}`);
    const bytes = queue.take(length);
    const last = !(await queue.has(1));
    const plain = opener.open(bytes, index, last);
    const sha256 = hash('sha256', plain, 'buffer');
    plainHash.update(sha256);
    if (last && entry)
      checkEntry(entry, { size: queue.received, frames: index + 1, stored: queue.sha256(), plain: plainHash.digest() });
    yield { frame: index, last, offset, length, plain, sha256 };
    if (last) return;
    offset += length;
  }
  throw new ArchiveError('too-large', 'the object has more than 2^32 frames');
}

const readHeader = async (queue: ByteQueue, { identity, name, entry }: ReadOptions): Promise<Header> => {
  await queue.has(preambleBytes);
  const length = headerLength(queue.peek(preambleBytes));
  if (!(await queue.has(preambleBytes + length))) throw new ArchiveError('truncated', 'the object ends within its header');
  const header = parseHeader(queue.take(preambleBytes + length).subarray(preambleBytes));
  checkSameIdentity(header.identity, identity);
  if (header.name !== name) throw new ArchiveError('wrong-backup', 'the object belongs to another name');
  if (entry && (entry.salt !== encodeBase64(header.salt) || entry.noncePrefix !== encodeBase64(header.noncePrefix)))
    throw new ArchiveError('hash-mismatch', 'the object is not the one listed in the manifest');
  return header;
};

const checkEntry = (
  entry: ObjectEntry,
  found: { readonly size: number; readonly frames: number; readonly stored: Buffer; readonly plain: Buffer },
): void => {
  if (entry.size !== found.size || entry.frames !== found.frames)
    throw new ArchiveError('hash-mismatch', 'the size of the object differs from the manifest');
  if (entry.sha256 !== encodeBase64(found.stored))
    throw new ArchiveError('hash-mismatch', 'the hash of the stored bytes differs from the manifest');
  if (entry.plainSha256 !== encodeBase64(found.plain))
    throw new ArchiveError('hash-mismatch', 'the hash of the contents differs from the manifest');
};
