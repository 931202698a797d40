import { keyFileName, manifestName, objectKind } from '../../../shared/archive/index.ts';
import type { ObjectStore } from '../../../shared/destination/index.ts';
import type { ReadOnlyStore } from './read-only-directory-store.ts';

/**
 * A bucket whose listing includes locked objects of backups that were deleted: a delete marker only hides them. Each is asked for its
 * own lock, because an intruder can add and delete objects without one.
 */
export const listHidden = (store: ObjectStore): ReadOnlyStore => ({
  get: (name, range) => store.get(name, range),
  head: (name) => store.head(name),
  list: async function* (prefix) {
    /** With a key or a manifest, deleted or not. Only their chunks are asked for locks: other backups were removed. */
    const backups = new Set<string>();
    for await (const object of store.list(prefix)) {
      addBackup(object.name, backups);
      yield object;
    }
    if (!store.versions) return;
    let hasParts = false;
    for await (const name of store.versions.deleted(prefix)) {
      const { object } = splitName(name);
      hasParts ||= isPart(object);
      if (isPart(object) || (object !== keyFileName && !objectKind(object))) continue;
      const found = await store.head(name);
      if (!found) continue;
      addBackup(name, backups);
      yield { name, size: found.size };
    }
    if (!hasParts || backups.size === 0) return;
    for await (const name of store.versions.deleted(prefix)) {
      const { folder, object } = splitName(name);
      const found = isPart(object) && backups.has(folder) ? await store.head(name) : undefined;
      if (found) yield { name, size: found.size };
    }
  },
  versions: store.versions,
  renew: store.renew && (async () => listHidden((await store.renew?.()) ?? store)),
  close: () => store.close(),
});

/** The folder of the backup, and the name of the object in it. */
export const splitName = (name: string): { readonly folder: string; readonly object: string } => {
  const [, folder = '', object = ''] = /^(?:(.*?)\/)??((?:chunk|index|filter|erasures)\/\d[\d-]+|[^/]+)$/s.exec(name) ?? [];
  return { folder, object };
};

const isPart = (object: string): boolean => ['chunk', 'index', 'filter'].includes(objectKind(object) ?? '');

const addBackup = (name: string, backups: Set<string>): void => {
  const { folder, object } = splitName(name);
  if (object === keyFileName || object === manifestName) backups.add(folder);
};
