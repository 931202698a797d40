/** `export`: documents as NDJSON in the REST form, in the order of names; memory is that of a few leaves, however many there are. */
import { recordKind, streamLeaves } from '../../shared/archive/index.ts';
import { isCollectionPath, isInRange, type NameRange, scopeOf } from '../../shared/firestore/index.ts';
import { escapeName } from './escape-output.ts';
import { unusable } from './failure.ts';
import { innerPath } from './list.ts';
import type { OpenBackup } from './open-backup.ts';
import { grouped, type Output, Progress, say } from './output.ts';
import { contentOf } from './show.ts';

export interface ExportOptions {
  /** Paths of collections, each with all that is below it; none means everything. */
  readonly collections: readonly string[];
  /** Users of Firebase Authentication instead of documents. */
  readonly users: boolean;
}

export const exportBackup = async (backup: OpenBackup, { collections, users }: ExportOptions, output: Output): Promise<void> => {
  const { manifest } = backup;
  const root = `${manifest.source}/documents`;
  const paths = collections.map((path) => innerPath(path, root));
  for (const path of paths)
    if (!isCollectionPath(path)) throw unusable(`--collection ${escapeName(path)}: not the path of a collection`);
  const wanted = users ? recordKind.user : recordKind.document;
  const total = users ? manifest.counts.users : manifest.counts.documents;
  const progress = new Progress(users ? 'users' : 'documents', total);
  let written = 0;
  for (const range of scopeOf(paths.length > 0 ? paths : undefined))
    written += await exportRange(backup, range, wanted, output, progress);
  await output.finish();
  say(`exported ${grouped(written)} ${users ? 'users' : 'documents'}`);
  if (!users && manifest.counts.users > 0) say(`${grouped(manifest.counts.users)} users are exported by --users`);
};

const exportRange = async (
  { archive, manifest }: OpenBackup,
  range: NameRange,
  wanted: number,
  output: Output,
  progress: Progress,
): Promise<number> => {
  const root = `${manifest.source}/documents/`;
  const isWhole = range.from === undefined && range.to === undefined;
  let written = 0;
  const from = range.from === undefined ? {} : { from: Buffer.from(`${root}${range.from}`) };
  for await (const { segment, leaf } of streamLeaves(archive, from)) {
    let last = '';
    let inLeaf = 0;
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      if (leaf.kind(slot) !== wanted) continue;
      last = leaf.name(slot).toString().slice(root.length);
      if (!isWhole && !isInRange(last, range)) continue;
      inLeaf += 1;
      await output.line(JSON.stringify(contentOf(leaf, slot)));
    }
    written += inLeaf;
    progress.add(inLeaf);
    // Names ascend: beyond the end of the range nothing more of it comes.
    if (last !== '' && range.to !== undefined && !isInRange(last, { to: range.to })) break;
  }
  return written;
};
