/** Registers a backup found in a destination, with a record made from its verified manifest. */
import * as z from 'zod/mini';
import type { Manifest } from '../../archive/index.ts';
import { auditNote } from '../../audit/index.ts';
import { CollectionPaths, Collections } from '../../contract/collection-path.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { Moment } from '../../contract/fields.ts';
import { countBackups, type DestinationRecord, openStoreInRequest } from '../../destination/index.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import { type Change, clock, create, iso, newIdOf, type Tenant } from '../../platform/index.ts';
import { databaseName, type ProjectRecord, whileConnected, whileNotMoving } from '../../project/index.ts';
import {
  addedBackupErasureTasks,
  type BackupRecord,
  backupKey,
  countInOrganization,
  finishedFields,
  keepPassphrase,
  lifecycleEvents,
  newBackupRecord,
  topCollections,
} from '../../stored-backup/index.ts';
import { assertValidCollections } from '../start/backup-request.ts';
import { type FoundBackup, inspectFolder } from './inspect-folder.ts';
import { resolveChain } from './resolve-chain.ts';

interface ImportOptions {
  readonly path: string;
  readonly metadata: {
    readonly createdAt?: string | undefined;
    readonly type?: BackupRecord['type'] | undefined;
    readonly source?: string | undefined;
  };
  readonly createdBy: BackupRecord['createdBy'];
}

interface ImportContext {
  readonly tenant: Tenant;
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
  readonly project: ProjectRecord;
  readonly destination: DestinationRecord;
}

/** Objects that already have a record are shared with it, and deleted with the last record. */
export const importBackup = async (
  { tenant, organization, project, destination }: ImportContext,
  {
    options,
    now,
    open = openStoreInRequest,
  }: { readonly options: ImportOptions; readonly now: Date; readonly open?: typeof openStoreInRequest | undefined },
): Promise<{ backup: BackupRecord; change: Change }> => {
  const path = folderPath(destination.prefix, options.path);
  assertPossible(options, now);
  const store = await open(tenant, destination, path);
  const found = await inspectFolder(tenant, store, path).finally(() => store.close());
  const type = typeOf(options, found);
  const createdAt = createdAtOf(options, found, now);
  const { link, holds } = await resolveChain(tenant, found);
  const id = newIdOf('backup', createdAt);
  const completedAt = clock.now();
  const backup = newBackupRecord(tenant, {
    ...finishedFields,
    ...archiveFields(found),
    id,
    projectId: project.id,
    projectName: project.name,
    isForeign: found.manifest.source !== databaseName(project) || undefined,
    type,
    ...link,
    trigger: 'import',
    storageDestination: { id: destination.id, name: destination.name, type: destination.type },
    path,
    createdAt: iso(createdAt),
    startedAt: iso(now),
    completedAt: iso(completedAt),
    source: options.metadata.source,
    createdBy: options.createdBy,
  });
  return {
    backup,
    change: {
      writes: [
        whileConnected(tenant, project.id),
        whileNotMoving(tenant, project.id),
        countBackups(tenant, destination.id, 1),
        countInOrganization(tenant, { backups: 1, bytes: backup.size, condition: organizationActive }),
        ...found.checks,
        ...keepPassphrase(tenant, backup.encryption),
        ...holds,
        create(backup),
        { put: { ...backupKey.archive(tenant, found.identity.backup, id), backupId: id } },
        ...lifecycleEvents({ tenant, project, organization }, backup, completedAt),
        ...(await addedBackupErasureTasks(tenant, backup, now)),
      ],
      audit: [
        auditNote(tenant, { type: 'backup', id, details: { projectId: project.id, storageDestinationId: destination.id, path } }),
      ],
    },
  };
};

const organizationActive = {
  expected: { deletedAt: undefined },
  onConditionFailed: () => new ApiError('ORGANIZATION_NOT_FOUND', 'There is no such organization'),
};

const assertPossible = ({ metadata: { createdAt } }: ImportOptions, now: Date): void => {
  if (createdAt === undefined) return;
  if (new Date(createdAt) > now) throw invalid('metadata.createdAt', 'must not be in the future');
  if (Date.parse(createdAt) < 0) throw invalid('metadata.createdAt', 'must not be before 1970');
};

/** The default is the moment whose data the backup holds, so that an old backup does not count as a new one. */
const createdAtOf = ({ metadata }: ImportOptions, { manifest }: FoundBackup, now: Date): Date =>
  new Date(Math.min(Math.max(0, Date.parse(metadata.createdAt ?? manifest.readTime)), now.getTime()));

const typeOf = ({ metadata }: ImportOptions, { manifest }: FoundBackup): BackupRecord['type'] => {
  const type = manifest.parent === null ? 'full' : 'incremental';
  if (metadata.type !== undefined && metadata.type !== type)
    throw invalid('metadata.type', `must be ${type}, the type of the backup`);
  return type;
};

/** The notes of a manifest are not trusted: invalid ones are ignored. */
const scopeOf = (notes: Manifest['notes']) => {
  const everything = { collections: ['*'], excludeCollections: [], isKnown: false };
  const parsed = Scope.safeParse({ collections: notes.collections, excludeCollections: notes.excludedCollections });
  if (!parsed.success) return everything;
  try {
    assertValidCollections(parsed.data);
    return { ...parsed.data, isKnown: true };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return everything;
  }
};
/** The unknown collections that the manifest notes. Only those of the scope count, because the scope is bounded. */
const unknownIn = ({ collections, excludeCollections }: ReturnType<typeof scopeOf>, notes: Manifest['notes']) => {
  const noted = new Set(Array.isArray(notes.unknownCollections) ? notes.unknownCollections : []);
  return [...collections, ...excludeCollections].filter((path) => noted.has(path));
};
const Scope = z.object({ collections: Collections, excludeCollections: z._default(CollectionPaths, []) });
/** The notes have the same bounds as those of our own backups. */
const NotedLacking = z.object({
  collections: z.array(z.string().check(z.maxLength(1_500))).check(z.maxLength(100)),
  count: z.nullable(z.int()),
  complete: z.boolean(),
  reason: z.string().check(z.maxLength(1_000)),
  sampled: z.optional(z.object({ from: Moment, to: Moment })),
});
/** Since when its documents were read from the source. A manifest that does not say it may be of a restore point. */
const NotedReading = z.object({ builtFrom: z.enum(['changes', 'source']), auditedSince: Moment });
const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Whether documents it lacks may have existed: its notes say so, or it is a safety backup, the only kind without a parent that has tombstones. */
const isPartial = ({ notes, parent, counts }: Manifest): boolean =>
  !scopeOf(notes).isKnown || notes.partial === true || notes.trigger === 'safety' || (parent === null && counts.tombstones > 0);

const archiveFields = ({ identity, manifest, manifestDigest, keyFile, encryption, size }: FoundBackup) => {
  const { counts, notes } = manifest;
  const documents = counts.documents;
  const scope = scopeOf(notes);
  return {
    archive: identity,
    keyFile,
    encryption,
    manifestDigest,
    collections: scope.collections,
    excludedCollections: scope.excludeCollections,
    unknownCollections: unknownIn(scope, notes),
    isPartial: isPartial(manifest) || undefined,
    lacks: NotedLacking.safeParse(notes.lacks).data,
    mayLackCollections: notes.mayLackCollections === true || undefined,
    includeAuthUsers: counts.users > 0,
    authUsers: counts.users || undefined,
    documents,
    totalDocuments: documents,
    readTime: manifest.readTime,
    size,
    originalSize: isSize(notes.originalSize) ? notes.originalSize : 0,
    documentCount: documents,
    collectionCounts: topCollections(manifest.collections.map((one) => [one.id, one.documents] as const)),
    countVerified: typeof notes.countVerified === 'boolean' ? notes.countVerified : null,
    ...NotedReading.safeParse({ builtFrom: notes.builtFrom, auditedSince: notes.auditedSince }).data,
  };
};

/** The characters of a destination's prefix and of ids. */
const part = /^[A-Za-z0-9!_.*'()-]+$/;

/** The folder of a path in the bucket. A path that does not start with the destination's prefix is relative to it. */
const folderPath = (prefix: string, path: string): string => {
  const parts = path.replace(/\/$/, '').split('/');
  if (!parts.every((one) => part.test(one) && one !== '.' && one !== '..'))
    throw invalid('path', 'must be a folder path in the bucket: names separated by single slashes, without . and ..');
  const folder = parts.join('/');
  return prefix === '' || folder === prefix || folder.startsWith(`${prefix}/`) ? folder : `${prefix}/${folder}`;
};
