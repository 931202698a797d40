/** `ls`: the backups of a folder, the collections of a backup, the documents of a collection, the collections of a document. */
import { keyFileName, manifestName, objectKind, parseKeyFile } from '../../shared/archive/index.ts';
import { escapeName } from './escape-output.ts';
import { unusable } from './failure.ts';
import { countDocuments, listChildren } from './list-children.ts';
import type { OpenBackup } from './open-backup.ts';
import type { BackupLocation } from './open-location.ts';
import { grouped, type Output, say } from './output.ts';
import { readSmallObject } from './read-small-object.ts';

/** The folders below a location that contain a manifest or a key, with their totals. */
export const findBackups = async (location: BackupLocation): Promise<ReadonlyMap<string, FoundBackup>> => {
  const found = new Map<string, FoundBackup>();
  for await (const { name, size } of location.store.list('')) {
    const [, folder = '', object = ''] = /^(?:(.*?)\/)?((?:chunk|index)\/[^/]+|[^/]+)$/s.exec(name) ?? [];
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
  for (const [folder, { objects, bytes, hasKey, hasManifest }] of backups) {
    const key = hasKey ? `key: ${await describeWraps(location, folder)}` : 'NO KEY';
    const state = hasManifest ? 'complete' : 'NO MANIFEST: never completed';
    await output.line(
      `${location.displayName}/${escapeName(folder)}  ${state}  ${key}  ${grouped(objects)} objects  ${grouped(bytes)} bytes`,
    );
  }
};

const describeWraps = async (location: BackupLocation, folder: string): Promise<string> => {
  try {
    const { wraps } = parseKeyFile(await readSmallObject(location.store, `${folder}/`, keyFileName));
    return wraps.map(({ kind }) => kind).join(', ');
  } catch {
    return 'UNREADABLE';
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
  let found = 0;
  for await (const { id, exists } of listChildren(archive, parent)) {
    found += 1;
    const label = escapeName(inner === '' ? id : `${inner}/${id}`);
    if (isCollection) await output.line(`${label}${exists ? '' : '  (does not exist, but has subcollections)'}`);
    else await output.line(`${grouped(await countDocuments(archive, `${parent}/${id}`)).padStart(13)}  ${label}`);
  }
  if (found === 0 && inner !== '' && (isCollection || !(await archive.find(Buffer.from(parent)))))
    throw unusable(`${escapeName(inner)}: not found in this backup`);
};

const describe = ({ manifest, identity }: OpenBackup): void => {
  const { counts, source, readTime, parent } = manifest;
  const users = counts.users > 0 ? `, ${grouped(counts.users)} users` : '';
  const kind = parent === null ? 'full' : `incremental on ${parent}`;
  say(`${identity.backup} (${kind}) of ${escapeName(source)} at ${readTime}: ${grouped(counts.documents)} documents${users}`);
};

/** Strips the documents root and slashes from a path. */
export const innerPath = (path: string, root: string): string => {
  const inner = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path === root ? '' : path;
  return inner.replace(/^\/+|\/+$/g, '');
};
