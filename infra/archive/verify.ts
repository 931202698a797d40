/** `verify`: checks that every object of the manifest exists and is intact. */
import {
  type Manifest,
  objectKind,
  readChunk,
  readIndex,
  recordKind,
  reread,
  storedObjects,
  streamLeaves,
  verifyFilter,
} from '../../shared/archive/index.ts';
import { prefetch } from '../../shared/platform/index.ts';
import { damaged, Failure, failureOf } from './failure.ts';
import { isDoubtful, type OpenBackup } from './open-backup.ts';
import { grouped, type Output, Progress } from './output.ts';
import { contentOf } from './show.ts';

/**
 * - `quick`: sizes of all objects and all pages of the index
 * - `whole`: also every byte: hashes, frames, records, and the count of all indexed records
 * - `full`: also decodes every document
 */
export type Depth = 'quick' | 'whole' | 'full';

const pieceBytes = 8 << 20;

/** Prints every finding; throws at the end if there was one. */
export const verify = async (backup: OpenBackup, depth: Depth, output: Output): Promise<void> => {
  const { manifest, digest, identity } = backup;
  const findings: Failure[] = [];
  const note = async (failure: Failure): Promise<void> => {
    if (failure.exitCode !== 1) throw failure;
    findings.push(failure);
    if (!output.isJson) await output.line(failure.message);
  };
  const objects = storedObjects(manifest);
  const bytes = objects.reduce((sum, { size }) => sum + size, 0);
  const progress = new Progress('bytes', bytes);
  const missingBackups = new Set<string>();
  for (const backupId of new Set(objects.map((entry) => entry.backup))) {
    const missing = backupId === identity.backup ? undefined : await backup.findMissing(backupId);
    if (!missing) continue;
    // One finding for the whole folder.
    missingBackups.add(backupId);
    await note(missing);
  }
  for (const entry of objects) {
    if (missingBackups.has(entry.backup)) continue;
    const object = `${entry.backup}/${entry.name}`;
    try {
      const size = await backup.sizeOf(entry);
      if (size === undefined) throw damaged(object, 'is missing');
      if (size !== entry.size) throw damaged(object, `has ${grouped(size)} bytes, expected ${grouped(entry.size)}`);
      if (depth !== 'quick') await verifyGenuine(backup, entry);
    } catch (error) {
      await note(failureOf(error, object));
    }
    progress.add(entry.size);
  }
  // Reads as a restore does. If objects are damaged, this would only repeat the findings.
  if (findings.length === 0) await verifyIndex(backup, depth).catch((error: unknown) => note(failureOf(error, 'index')));
  const { documents } = manifest.counts;
  if (output.isJson)
    await output.line(
      JSON.stringify(
        {
          backup: identity.backup,
          status: findings.length === 0 ? 'passed' : 'failed',
          depth,
          objects: objects.length,
          bytes,
          documents,
          digest,
          openedBy: backup.openedBy,
          findings: findings.map(({ message }) => message),
        },
        undefined,
        2,
      ),
    );
  if (findings.length > 0) throw new Failure(1, `damaged: ${grouped(findings.length)} findings in ${identity.backup}`);
  if (output.isJson) return;
  if (output.isQuiet) return output.line(identity.backup);
  await output.line(
    `ok: ${identity.backup}, ${grouped(objects.length)} objects, ${grouped(bytes)} bytes, ${grouped(documents)} documents, manifest digest ${digest}, opened by ${backup.openedBy}`,
  );
};

type Entry = Manifest['objects'][number];

/**
 * An object that fails is read again over new connections: only its transfer may be damaged. It may also have been overwritten; then
 * the version that was stored is checked.
 */
const verifyGenuine = (backup: OpenBackup, entry: Entry): Promise<void> =>
  reread(
    (again) => verifyObject(backup, entry, again),
    async (error) => {
      if (!isDoubtful(error)) return false;
      await backup.select(entry);
      return true;
    },
  );

const verifyObject = async (backup: OpenBackup, entry: Entry, again: number): Promise<void> => {
  const identity = { ...backup.identity, backup: entry.backup };
  const options = { identity, name: entry.name, dataKey: await backup.dataKey(entry.backup), entry };
  const offsets = Array.from({ length: Math.ceil(entry.size / pieceBytes) }, (_, n) => n * pieceBytes);
  const piece = (offset: number) => backup.read(entry, { offset, length: Math.min(pieceBytes, entry.size - offset), again });
  const source = prefetch(offsets, 1, piece);
  const filter = backup.manifest.filters?.find(({ backup: of, name }) => of === entry.backup && name === entry.name);
  if (filter) return verifyFilter(source, { ...options, entry: filter });
  const parts: AsyncIterable<unknown> =
    objectKind(entry.name) === 'chunk' ? readChunk(source, options) : readIndex(source, options);
  for await (const _ of parts);
};

/** Checks that records are unique, ordered and as many per kind as the manifest lists. */
const verifyIndex = async ({ archive, manifest }: OpenBackup, depth: Depth): Promise<void> => {
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
      throw damaged('manifest', `lists ${grouped(expected)} ${name}, but the backup contains ${grouped(found.get(kind) ?? 0)}`);
};
