/**
 * `export`: documents as NDJSON in the REST format, in name order. Memory holds a few leaves, whatever the size of the backup.
 */
import { type Leaf, recordKind, streamLeaves } from '../../shared/archive/index.ts';
import { isCollectionPath, isInRange, type NameRange, scopeOf } from '../../shared/firestore/index.ts';
import { escapeName } from './escape-output.ts';
import { unusable } from './failure.ts';
import { innerPath } from './list.ts';
import type { OpenBackup } from './open-backup.ts';
import { grouped, note, type Output, Progress } from './output.ts';
import { contentOf } from './show.ts';
import { toJson } from './to-json.ts';

interface ExportOptions {
  /** Collection paths, each including everything below it; empty means everything. */
  readonly collections: readonly string[];
  /** Firebase Authentication users instead of documents. */
  readonly users: boolean;
}

export const exportBackup = async (backup: OpenBackup, { collections, users }: ExportOptions, output: Output): Promise<void> => {
  const { manifest } = backup;
  const root = `${manifest.source}/documents`;
  const paths = collections.map((path) => innerPath(path, root));
  for (const path of paths)
    if (!isCollectionPath(path)) throw unusable(`--collection ${escapeName(path)}: not a collection path`);
  const wanted = users ? recordKind.user : recordKind.document;
  const total = users ? manifest.counts.users : manifest.counts.documents;
  const progress = new Progress(users ? 'users' : 'documents', total);
  let [written, erased] = [0, 0];
  for (const range of scopeOf(paths.length > 0 ? paths : undefined)) {
    const exported = await exportRange(backup, { range, wanted, output, progress });
    written += exported.written;
    erased += exported.erased;
  }
  await output.finish();
  if (backup.archive.isFiltered && !users) note(`${grouped(erased)} erased documents were left out`);
  note(`exported ${grouped(written)} ${users ? 'users' : 'documents'}`);
  if (!users && manifest.counts.users > 0) note(`${grouped(manifest.counts.users)} users were not exported; use --users`);
};

const exportRange = async (
  { archive, manifest }: OpenBackup,
  {
    range,
    wanted,
    output,
    progress,
  }: { readonly range: NameRange; readonly wanted: number; readonly output: Output; readonly progress: Progress },
): Promise<{ readonly written: number; readonly erased: number }> => {
  const root = `${manifest.source}/documents/`;
  const isWhole = range.from === undefined && range.to === undefined;
  let [written, erased] = [0, 0];
  const from = range.from === undefined ? {} : { from: Buffer.from(`${root}${range.from}`) };
  for await (const { segment, leaf } of streamLeaves(archive, from)) {
    let last = '';
    let inLeaf = 0;
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      if (isErasedDocument(leaf, slot) && (isWhole || isInRange(leaf.name(slot).toString().slice(root.length), range)))
        erased += 1;
      if (leaf.kind(slot) !== wanted) continue;
      last = leaf.name(slot).toString().slice(root.length);
      if (!isWhole && !isInRange(last, range)) continue;
      inLeaf += 1;
      await output.line(toJson(contentOf(leaf, slot)));
    }
    written += inLeaf;
    progress.add(inLeaf);
    // Names ascend: past the end of the range there is nothing left.
    if (last !== '' && range.to !== undefined && !isInRange(last, { to: range.to })) break;
  }
  return { written, erased };
};

const isErasedDocument = (leaf: Leaf, slot: number): boolean =>
  leaf.kind(slot) === recordKind.erased && leaf.storedKind(slot) === recordKind.document;
