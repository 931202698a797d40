/** `verify`: whether everything that the manifest names is there and is what it should be. */
import { type Manifest, objectKind, readChunk, readIndex, recordKind, streamLeaves } from '../../shared/archive/index.ts';
import { damaged, Failure, failureOf } from './failure.ts';
import type { ObjectId, OpenBackup } from './open-backup.ts';
import { grouped, type Output, Progress } from './output.ts';
import { contentOf } from './show.ts';

/**
 * - `quick`: every object has its size, every page of the index is proven
 * - `whole`: every byte of every object: hashes, frames, records; and every record that the index names, counted
 * - `full`: besides, every document is decoded
 */
export type Depth = 'quick' | 'whole' | 'full';

const pieceBytes = 8 << 20;

/** Says everything that is wrong; throws at the end if anything was. */
export const verify = async (backup: OpenBackup, depth: Depth, output: Output): Promise<void> => {
  const { manifest, digest, identity } = backup;
  const findings: Failure[] = [];
  const note = async (failure: Failure): Promise<void> => {
    if (failure.exitCode !== 1) throw failure;
    findings.push(failure);
    await output.line(failure.message);
  };
  const bytes = manifest.objects.reduce((sum, { size }) => sum + size, 0);
  const progress = new Progress('bytes', bytes);
  const absent = new Set<string>();
  for (const needed of new Set(manifest.objects.map((entry) => entry.backup))) {
    const lack = needed === identity.backup ? undefined : await backup.findMissing(needed);
    if (!lack) continue;
    // One line tells of all that is in it.
    absent.add(needed);
    await note(lack);
  }
  for (const entry of manifest.objects) {
    if (absent.has(entry.backup)) continue;
    const object = `${entry.backup}/${entry.name}`;
    try {
      const size = await backup.sizeOf(entry);
      if (size === undefined) throw damaged(object, 'is missing');
      if (size !== entry.size) throw damaged(object, `has ${grouped(size)} bytes, not ${grouped(entry.size)}`);
      if (depth !== 'quick') await readWhole(backup, entry);
    } catch (error) {
      await note(failureOf(error, object));
    }
    progress.add(entry.size);
  }
  // The way that a restore goes; where objects are damaged it would only find the same again.
  if (findings.length === 0) await countAll(backup, depth).catch((error: unknown) => note(failureOf(error, 'index')));
  const { counts } = manifest;
  if (findings.length > 0) throw new Failure(1, `damaged: ${grouped(findings.length)} findings in ${identity.backup}`);
  await output.line(
    `ok: ${identity.backup}, ${grouped(manifest.objects.length)} objects, ${grouped(bytes)} bytes, ${grouped(counts.documents)} documents, manifest digest ${digest}, opened by ${backup.openedBy}`,
  );
};

type Entry = Manifest['objects'][number];

const readWhole = async (backup: OpenBackup, entry: Entry): Promise<void> => {
  const identity = { ...backup.identity, backup: entry.backup };
  const options = { identity, name: entry.name, dataKey: await backup.dataKey(entry.backup), entry };
  const source = pieces(backup, entry, entry.size);
  const parts: AsyncIterable<unknown> =
    objectKind(entry.name) === 'chunk' ? readChunk(source, options) : readIndex(source, options);
  for await (const _ of parts);
};

/** One piece is fetched while the one before is looked at. */
async function* pieces(backup: OpenBackup, object: ObjectId, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  const piece = (offset: number): Promise<Uint8Array> | undefined => {
    const coming = offset < size ? backup.read(object, offset, Math.min(pieceBytes, size - offset)) : undefined;
    coming?.catch(() => undefined);
    return coming;
  };
  let next = piece(0);
  for (let at = 0; next; at += pieceBytes) {
    const present = next;
    next = piece(at + pieceBytes);
    yield await present;
  }
}

/** Every record once and in order, as many of each kind as the manifest says. */
const countAll = async ({ archive, manifest }: OpenBackup, depth: Depth): Promise<void> => {
  if (depth === 'quick') {
    for await (const _ of archive.segments());
    return;
  }
  const found = new Map<number, number>();
  for await (const { segment, leaf } of streamLeaves(archive, { part: depth === 'full' ? 'all' : 'keys' }))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      const kind = leaf.kind(slot);
      found.set(kind, (found.get(kind) ?? 0) + 1);
      if (depth === 'full' && kind !== recordKind.tombstone) contentOf(leaf, slot);
    }
  const { documents, tombstones, users } = manifest.counts;
  for (const [kind, name, expected] of [
    [recordKind.document, 'documents', documents],
    [recordKind.tombstone, 'tombstones', tombstones],
    [recordKind.user, 'users', users],
  ] as const)
    if ((found.get(kind) ?? 0) !== expected)
      throw damaged('manifest', `says ${grouped(expected)} ${name}, the backup holds ${grouped(found.get(kind) ?? 0)}`);
};
