/** Builds the manifest of a backup from its work items. Deterministic: the same items give the same manifest, byte for byte. */
import { type FilterEntry, filterName, type Json, type Manifest, type ObjectEntry } from '../../archive/index.ts';
import type { Configuration } from '../../contract/models/configuration.ts';
import { omitUndefined } from '../../platform/index.ts';
import { databaseName, type ProjectRecord } from '../../project/index.ts';
import type { ArchiveContents } from '../model/backup-fields.ts';
import type { KeptChunk, PartContents, PlannedBackup, ShardRecord, StoredDelta } from '../model/record.ts';
import { sourceReadingOf } from '../model/source-reading.ts';

/** The parts of any archive, and the shards they belong to. */
export interface ArchiveParts {
  readonly shards: readonly Pick<ShardRecord, 'number' | 'range' | 'countVerified'>[];
  /** In name order. */
  readonly parts: readonly (PartContents & { readonly number: number })[];
  /** Of a backup that is built from captured changes. */
  readonly delta?: StoredDelta | undefined;
  /** What relative parts differ from. */
  readonly origin?: OriginContents | undefined;
}

export interface OriginContents {
  readonly originalSize: number;
  /** Documents by collection id. */
  readonly collections: readonly (readonly [id: string, documents: number])[];
}

export const summarizeContents = ({ shards, parts, delta, origin }: ArchiveParts): ArchiveContents => {
  const ranges = new Set(shards.filter(({ range }) => range !== undefined).map(({ number }) => number));
  const collections = new Map<string, number>(origin?.collections);
  for (const part of parts)
    for (const [id, documents] of JSON.parse(part.collections) as readonly (readonly [string, number])[])
      collections.set(id, (collections.get(id) ?? 0) + documents);
  const sum = (list: ArchiveParts['parts'], of: (part: PartContents) => number): number =>
    list.reduce((total, part) => total + of(part), 0);
  const ofDocuments = parts.filter(({ number }) => ranges.has(number));
  return {
    documents: sum(ofDocuments, presentIn),
    tombstones: sum(parts, ({ tombstones = 0 }) => tombstones),
    users: sum(parts, presentIn) - sum(ofDocuments, presentIn),
    originalSize: (origin?.originalSize ?? 0) + sum(ofDocuments, ({ originalSize }) => originalSize),
    storedSize: ownObjects({ parts, delta }).reduce((total, { size }) => total + size, 0),
    objects: ownObjects({ parts, delta }).length,
    collections: [...collections].filter(([, n]) => n !== 0 || !origin).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)),
    countVerified: shards.every(({ countVerified }) => countVerified !== false),
  };
};

export const presentIn = ({ records, tombstones = 0 }: PartContents): number => records - tombstones;

const objectsOf = ({ chunk, copied, index }: PartContents): readonly ObjectEntry[] => [
  ...(chunk ? [chunk] : []),
  ...(copied ? [copied] : []),
  index,
];

const ownFilters = ({ parts, delta }: Pick<ArchiveParts, 'parts' | 'delta'>): readonly FilterEntry[] => [
  ...(delta?.filter ? [delta.filter] : []),
  ...parts.flatMap(({ filter, copiedFilter }) => [...(filter ? [filter] : []), ...(copiedFilter ? [copiedFilter] : [])]),
];

const ownChunksAndIndexes = ({ parts, delta }: Pick<ArchiveParts, 'parts' | 'delta'>): readonly ObjectEntry[] => [
  ...(delta ? [delta.chunk] : []),
  ...parts.flatMap(objectsOf),
];

/** The objects that were stored for this archive. */
export const ownObjects = (archive: Pick<ArchiveParts, 'parts' | 'delta'>): readonly ObjectEntry[] => [
  ...ownChunksAndIndexes(archive),
  ...ownFilters(archive),
];

const idOf = ({ backup, name }: KeptChunk): string => `${backup} ${name}`;

interface Inherited {
  readonly chunks: readonly ObjectEntry[];
  readonly filters: readonly FilterEntry[];
}

/** The chunks of earlier backups that the parts inherit records from, as listed in the parent's manifest, with the filters it has of them. */
const inheritedFrom = ({ parts }: Pick<ArchiveParts, 'parts'>, parent: Manifest | undefined): Inherited => {
  const kept = parts.flatMap((part) => part.kept ?? []);
  const [wanted, filters] = [
    new Set(kept.map(idOf)),
    new Set(kept.map((chunk) => idOf({ ...chunk, name: filterName(chunk.name) }))),
  ];
  const chunks = (parent?.objects ?? []).filter((entry) => wanted.has(idOf(entry)));
  if (chunks.length !== wanted.size)
    throw new Error(`expected ${wanted.size} inherited chunks in the parent, found ${chunks.length}`);
  return { chunks, filters: (parent?.filters ?? []).filter((entry) => filters.has(idOf(entry))) };
};

/** The objects of earlier backups that this archive needs. */
export const inheritedObjects = (archive: Pick<ArchiveParts, 'parts'>, parent: Manifest | undefined): readonly ObjectEntry[] => {
  const { chunks, filters } = inheritedFrom(archive, parent);
  return [...chunks, ...filters];
};

/** A manifest has at most 64 MiB. */
const manifestCollectionsMax = 200_000;

export const manifestOf = (
  backup: PlannedBackup,
  {
    project,
    archiveParts,
    contents: { documents, tombstones, users, originalSize, collections, countVerified },
    parent,
    configuration,
  }: {
    readonly project: Pick<ProjectRecord, 'sourceProjectId' | 'databaseId'>;
    readonly archiveParts: Pick<ArchiveParts, 'parts' | 'delta'>;
    readonly contents: ArchiveContents;
    readonly parent?: Manifest | undefined;
    readonly configuration?: Configuration | undefined;
  },
): Manifest => ({
  formatVersion: 2,
  requiredFeatures: [],
  ...backup.archive,
  parent: parent?.backup ?? null,
  source: databaseName(project),
  readTime: backup.readTime,
  counts: { documents, tombstones, users },
  collections: collections.slice(0, manifestCollectionsMax).map(([id, count]) => ({ id, documents: count })),
  objects: [...ownChunksAndIndexes(archiveParts), ...inheritedFrom(archiveParts, parent).chunks],
  ...withFilters([...ownFilters(archiveParts), ...inheritedFrom(archiveParts, parent).filters]),
  pages: archiveParts.parts.flatMap(({ pages }) => pages),
  // For readers without the service. Must be the same in every run of the step.
  notes: {
    createdAt: backup.createdAt,
    type: backup.type,
    trigger: backup.trigger,
    collections: [...backup.collections],
    excludedCollections: [...backup.excludedCollections],
    ...(backup.unknownCollections.length > 0 && { unknownCollections: [...backup.unknownCollections] }),
    ...(backup.isPartial && { partial: true }),
    ...(backup.lacks && { lacks: omitUndefined(backup.lacks) }),
    ...(backup.mayLackCollections && { mayLackCollections: true }),
    ...sourceReadingOf(backup),
    ...(backup.erasuresVersion !== undefined && { erasures: backup.erasuresVersion }),
    countVerified,
    originalSize,
    ...(configuration && { configuration: configuration as unknown as Json }),
  },
});

/** A backup without filters has the manifest that it always had. */
const withFilters = (filters: readonly FilterEntry[]): Pick<Manifest, 'filters'> => (filters.length > 0 ? { filters } : {});

export const dependencyArchives = ({ backup, objects }: Pick<Manifest, 'backup' | 'objects'>): readonly string[] =>
  [...new Set(objects.map((object) => object.backup))].filter((one) => one !== backup);
