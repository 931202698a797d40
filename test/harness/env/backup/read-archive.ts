/** Reads all records of an archive from its objects, its key and its digest only. */
import { Archive, type FetchedRange, type Manifest, openManifest, recordKind } from '../../../../shared/archive/index.ts';
import type { ObjectStore } from '../../../../shared/destination/index.ts';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';

const kinds = { [recordKind.document]: 'document', [recordKind.user]: 'user', [recordKind.tombstone]: 'tombstone' } as const;

export interface ArchiveRecord {
  /** The path of a document; the name of a user. */
  readonly name: string;
  readonly kind: (typeof kinds)[keyof typeof kinds];
  /** The exact bytes: of documents in hexadecimal, of users as text. Empty for a tombstone. */
  readonly content: string;
}

export interface ReadArchiveOptions {
  readonly identity: BackupRecord['archive'];
  readonly dataKey: Buffer;
  readonly digest: string | undefined;
}

export const readArchive = async (
  store: ObjectStore,
  { identity, dataKey, digest }: ReadArchiveOptions,
): Promise<{ readonly manifest: Manifest; readonly records: readonly ArchiveRecord[] }> => {
  const manifest = await openManifest(await store.get('manifest'), { identity, dataKey, digest });
  const fetch = async ({ name }: { name: string }, { offset, length }: FetchedRange) => store.get(name, { offset, length });
  const archive = new Archive(manifest, { fetch, dataKey: () => dataKey });
  const root = `${manifest.source}/documents/`;
  const records: ArchiveRecord[] = [];
  for await (const segment of archive.segments()) {
    const leaf = await archive.leaf(segment);
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      const kind = kinds[leaf.storedKind(slot)];
      const content = kind === 'tombstone' ? '' : leaf.content(slot).toString(kind === 'user' ? 'utf8' : 'hex');
      const name = leaf.name(slot).toString();
      records.push({ name: name.startsWith(root) ? name.slice(root.length) : name, kind, content });
    }
  }
  return { manifest, records };
};

export interface StoredBackup {
  readonly manifest: Manifest;
  /** Path and encoded bytes. */
  readonly documents: readonly (readonly [string, string])[];
  readonly users: readonly (readonly [string, string])[];
}

export const readStoredBackup = async (store: ObjectStore, options: ReadArchiveOptions): Promise<StoredBackup> => {
  const { manifest, records } = await readArchive(store, options);
  const entries = records.map(({ name, kind, content }) => ({ kind, entry: [name, content] as const }));
  return {
    manifest,
    documents: entries.filter(({ kind }) => kind !== 'user').map(({ entry }) => entry),
    users: entries.filter(({ kind }) => kind === 'user').map(({ entry }) => entry),
  };
};
