/** Registering a backup that lies in a destination: a record of its own, from what the backup proves of itself. */
import * as z from 'zod';
import type { Manifest } from '../../archive/index.ts';
import { CollectionPaths, Collections } from '../../contract/collection-path.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { countBackups, type DestinationRecord, openStore, requestRetryPolicy } from '../../destination/index.ts';
import { emit } from '../../event/index.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import { type Change, create, iso, newIdOf, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, whileConnected, whileNotMoving } from '../../project/index.ts';
import { backupEvent } from '../model/backup-view.ts';
import { countInOrganization } from '../model/organization-totals.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { topCollections } from '../seal/archive-contents.ts';
import { refuseBadCollections } from '../start/backup-request.ts';
import { folderOf } from './folder-path.ts';
import { type FoundBackup, lookAtBackup } from './inspect-folder.ts';
import { chainOf } from './resolve-chain.ts';

export interface ImportWish {
  readonly path: string;
  readonly metadata: {
    readonly createdAt?: string | undefined;
    readonly type?: BackupRecord['type'] | undefined;
    readonly source?: string | undefined;
  };
  readonly createdBy: BackupRecord['createdBy'];
}

export interface ImportPlace {
  readonly tenant: Tenant;
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
  readonly project: ProjectRecord;
  readonly destination: DestinationRecord;
}

/** Objects that another record has already are shared with it, and removed with the last of their records. */
export const importBackup = async (
  place: ImportPlace,
  wish: ImportWish,
  now: Date,
  open: typeof openStore = openStore,
): Promise<{ backup: BackupRecord; change: Change }> => {
  const { tenant, organization, project, destination } = place;
  const path = folderOf(destination.prefix, wish.path);
  const createdAt = createdAtOf(wish, now);
  const store = await open(tenant, destination, path, requestRetryPolicy);
  const found = await lookAtBackup(tenant, store, path).finally(() => store.close());
  const type = typeOf(wish, found);
  const { link, holds } = await chainOf(tenant, found);
  const id = newIdOf('backup', createdAt);
  const backup: BackupRecord = {
    ...backupKey.backup(tenant, id),
    ...contentsOf(found),
    id,
    projectId: project.id,
    type,
    ...link,
    trigger: 'import',
    scheduleId: null,
    storageDestination: { id: destination.id, name: destination.name, type: destination.type },
    path,
    createdAt: iso(createdAt),
    startedAt: null,
    completedAt: iso(now),
    ...(wish.metadata.source !== undefined && { source: wish.metadata.source }),
    createdBy: wish.createdBy,
  };
  return {
    backup,
    change: {
      writes: [
        whileConnected(tenant, project.id),
        whileNotMoving(tenant, project.id),
        countBackups(tenant, destination.id, 1),
        // Nothing is added to an organization that is being deleted.
        { ...countInOrganization(tenant, 1, backup.size), ...ifActive },
        ...found.checks,
        ...holds,
        create(backup),
        { put: { ...backupKey.archive(tenant, found.identity.backup, id), backupId: id } },
        // From now on it is a backup like any other; its trigger says how it came.
        emit(tenant, 'backup.completed', backupEvent(backup, project, organization), now),
      ],
      audit: [
        {
          scope: tenant.organizationId,
          resource: { type: 'backup', id },
          details: { projectId: project.id, storageDestinationId: destination.id, path },
        },
      ],
    },
  };
};

const ifActive = {
  condition: 'attribute_exists(pk) AND attribute_not_exists(deletedAt)',
  otherwise: () => new ApiError('ORGANIZATION_NOT_FOUND', 'There is no such organization'),
} as const;

const createdAtOf = ({ metadata: { createdAt } }: ImportWish, now: Date): Date => {
  const moment = createdAt === undefined ? now : new Date(createdAt);
  if (moment > now) throw invalid('metadata.createdAt', 'must not be in the future');
  if (moment.getTime() < 0) throw invalid('metadata.createdAt', 'must not be before 1970');
  return moment;
};

const typeOf = ({ metadata }: ImportWish, { manifest }: FoundBackup): BackupRecord['type'] => {
  const type = manifest.parent === null ? 'full' : 'incremental';
  if (metadata.type !== undefined && metadata.type !== type)
    throw invalid('metadata.type', `must be ${type}, as the backup says`);
  return type;
};

/** The notes of a manifest are whatever its writer put there: what no backup of ours could say is passed over. */
const scopeOf = (notes: Manifest['notes']) => {
  const everything = { collections: ['*'], excludeCollections: [], isKnown: false };
  const said = Scope.safeParse({ collections: notes.collections, excludeCollections: notes.excludedCollections });
  if (!said.success) return everything;
  try {
    refuseBadCollections(said.data);
    return { ...said.data, isKnown: true };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return everything;
  }
};
const Scope = z.object({ collections: Collections, excludeCollections: CollectionPaths.default([]) });
const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * Whether what it lacks may have been there, because it says so, or as a safety backup does, which says of documents that they were
 * not: all others that do have a parent.
 */
const isPartial = ({ notes, parent, counts }: Manifest): boolean =>
  !scopeOf(notes).isKnown || notes.partial === true || notes.trigger === 'safety' || (parent === null && counts.tombstones > 0);

/** All that the backup itself tells. */
const contentsOf = ({ identity, manifest, manifestDigest, keyFile, encryption, size }: FoundBackup) => {
  const { counts, notes } = manifest;
  const documents = counts.documents;
  const scope = scopeOf(notes);
  return {
    status: 'completed',
    phase: 'finished',
    archive: identity,
    keyFile,
    encryption,
    manifestDigest,
    collections: scope.collections,
    excludedCollections: scope.excludeCollections,
    ...(isPartial(manifest) && { isPartial: true }),
    ...(notes.mayLackCollections === true && { mayLackCollections: true }),
    includeAuthUsers: counts.users > 0,
    ...(counts.users > 0 && { authUsers: counts.users }),
    documents,
    totalDocuments: documents,
    toldPercent: 100,
    reads: 0,
    readTime: manifest.readTime,
    unknownCollections: [],
    size,
    originalSize: isSize(notes.originalSize) ? notes.originalSize : 0,
    documentCount: documents,
    collectionCounts: topCollections(manifest.collections.map((one) => [one.id, one.documents] as const)),
    countVerified: typeof notes.countVerified === 'boolean' ? notes.countVerified : null,
    verification: null,
    verifiedAt: null,
    restoreTestedAt: null,
    lockedUntil: null,
    expiresAt: null,
    deadline: null,
    error: null,
  } as const;
};
