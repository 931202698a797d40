/** `ls`: the backups of a folder, the collections of a backup, the documents of a collection, the collections of a document. */
import { keyFileName, manifestName, objectKind, parseKeyFile, recordKind } from '../../shared/archive/index.ts';
import { escapeName } from './escape-output.ts';
import { unusable } from './failure.ts';
import { countDocuments, listChildren } from './list-children.ts';
import type { OpenBackup } from './open-backup.ts';
import type { BackupLocation } from './open-location.ts';
import { grouped, Listing, note, type Output } from './output.ts';
import { splitName } from './store/list-hidden.ts';
import { readSmallObject } from './store/read-small-object.ts';

/** The folders below a location that contain a manifest or a key, with their totals. */
export const findBackups = async (location: BackupLocation): Promise<ReadonlyMap<string, FoundBackup>> => {
  const found = new Map<string, FoundBackup>();
  for await (const { name, size } of location.store.list('')) {
    const { folder, object } = splitName(name);
    if (object !== keyFileName && !objectKind(object)) continue;
    const backup = found.get(folder) ?? { objects: 0, bytes: 0, hasKey: false, hasManifest: false };
    found.set(folder, {
      objects: backup.objects + 1,
      bytes: backup.bytes + size,
      hasKey: backup.hasKey || object === keyFileName,
      hasManifest: backup.hasManifest || object === manifestName,
    });
  }
  return new Map([...found].filter(([, { hasKey, hasManifest }]) => hasKey || hasManifest).sort(([a], [b]) => (a < b ? -1 : 1)));
};

export interface FoundBackup {
  readonly objects: number;
  readonly bytes: number;
  readonly hasKey: boolean;
  readonly hasManifest: boolean;
}

export const listBackups = async (
  location: BackupLocation,
  backups: ReadonlyMap<string, FoundBackup>,
  output: Output,
): Promise<void> => {
  const listing = new Listing<ListedBackup>(output, ({ folder, complete, keys, objects, bytes }) => {
    if (output.isQuiet) return `${location.displayName}/${escapeName(folder)}`;
    const key = keys === null ? 'NO KEY' : `key: ${keys.join(', ') || 'UNREADABLE'}`;
    const state = complete ? 'complete' : 'NO MANIFEST: never completed';
    return `${location.displayName}/${escapeName(folder)}  ${state}  ${key}  ${grouped(objects)} objects  ${grouped(bytes)} bytes`;
  });
  for (const [folder, { objects, bytes, hasKey, hasManifest }] of backups) {
    const keys = hasKey ? await wrapKinds(location, folder) : null;
    await listing.add({ location: `${location.displayName}/${folder}`, folder, complete: hasManifest, keys, objects, bytes });
  }
  await listing.end();
};

interface ListedBackup {
  readonly location: string;
  readonly folder: string;
  readonly complete: boolean;
  /** What opens the backup. Null without the object `key`, empty if it is unreadable. */
  readonly keys: readonly string[] | null;
  readonly objects: number;
  readonly bytes: number;
}

const wrapKinds = async (location: BackupLocation, folder: string): Promise<readonly string[]> => {
  try {
    const { wraps } = parseKeyFile(await readSmallObject(location.store, { folder: `${folder}/`, object: keyFileName }));
    return wraps.map(({ kind }) => kind);
  } catch {
    return [];
  }
};

/** Collections are listed with the number of documents at any depth. */
export const list = async (backup: OpenBackup, path: string, output: Output): Promise<void> => {
  const { archive, manifest } = backup;
  const root = `${manifest.source}/documents`;
  const inner = innerPath(path, root);
  if (inner === '') describe(backup);
  const parent = inner === '' ? root : `${root}/${inner}`;
  const isCollection = inner !== '' && inner.split('/').length % 2 === 1;
  const listing = new Listing<ListedEntry>(output, (entry) =>
    output.isQuiet
      ? escapeName(entry.path)
      : entry.type === 'document'
        ? `${escapeName(entry.path)}${entry.missing ? '  (does not exist, but has subcollections)' : ''}`
        : `${grouped(entry.documents).padStart(13)}  ${escapeName(entry.path)}`,
  );
  let found = 0;
  for await (const { id, exists } of listChildren(archive, parent)) {
    found += 1;
    const at = inner === '' ? id : `${inner}/${id}`;
    if (isCollection) await listing.add({ type: 'document', path: at, missing: !exists });
    else await listing.add({ type: 'collection', path: at, documents: await countDocuments(archive, `${parent}/${id}`) });
  }
  if (found === 0 && inner !== '' && (isCollection || !(await isVisible(backup, parent))))
    throw unusable(`${escapeName(inner)}: not found in this backup`);
  await listing.end();
};

/** Whether a document exists and no erasure hides it. */
const isVisible = async ({ archive }: OpenBackup, name: string): Promise<boolean> => {
  const found = await archive.find(Buffer.from(name));
  return found !== undefined && found.leaf.kind(found.slot) !== recordKind.erased;
};

type ListedEntry =
  | { readonly type: 'collection'; readonly path: string; readonly documents: number }
  | { readonly type: 'document'; readonly path: string; readonly missing: boolean };

const describe = ({ manifest, identity }: OpenBackup): void => {
  const { counts, source, readTime, parent } = manifest;
  const users = counts.users > 0 ? `, ${grouped(counts.users)} users` : '';
  const kind = parent === null ? 'full' : `incremental on ${parent}`;
  note(`${identity.backup} (${kind}) of ${escapeName(source)} at ${readTime}: ${grouped(counts.documents)} documents${users}`);
};

/** Strips the documents root and slashes from a path. */
export const innerPath = (path: string, root: string): string => {
  const inner = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path === root ? '' : path;
  return inner.replace(/^\/+|\/+$/g, '');
};
