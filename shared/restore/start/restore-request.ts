/** Validates a restore request before anything is started. */
import type * as z from 'zod/mini';
import type { restores } from '../../contract/endpoints/restores.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { type DestinationRecord, readDestination } from '../../destination/index.ts';
import { isCollectionPath } from '../../firestore/index.ts';
import { compileRules } from '../../mask/index.ts';
import { clock, get, type Tenant } from '../../platform/index.ts';
import {
  assertNotLeaving,
  databaseName,
  type ProjectRecord,
  projectKey,
  projectNotFound,
  readProject,
} from '../../project/index.ts';
import { type BackupRecord, noSuchBackup, readBackup } from '../../stored-backup/index.ts';
import type { StartRestoreOptions } from '../model/start-options.ts';
import { type RestorablePoint, readPointRequest } from '../point-in-time/point-request.ts';
import { requestedDocuments } from '../scope/requested-documents.ts';
import { maskedTargetReason, mayBeSameDatabase } from '../transform/masked-target.ts';

type RestoreBody = z.output<typeof restores.create.body>;

/** A valid request, with the records it refers to. */
interface RestoreRequest {
  readonly backup: BackupRecord;
  /** Project of the backup; undefined once it is disconnected. */
  readonly project: ProjectRecord | undefined;
  readonly target: ProjectRecord;
  readonly destination: DestinationRecord;
  /** Point-in-time restore: what the backup is to be built from. */
  readonly pointRequest?: RestorablePoint | undefined;
  readonly options: Omit<StartRestoreOptions, 'createdBy'>;
}

/** Errors are reported in this order: backup, target, destination, options. */
export const readRestoreRequest = async (tenant: Tenant, body: RestoreBody, now: Date = clock.now()): Promise<RestoreRequest> => {
  const { safetyStorageDestinationId, includeAuthUsers, collections: _, transform, buildOnly, ...options } = body.options;
  if (transform) compileRules(transform.rules);
  const source = requestedSource(body);
  if (buildOnly) assertOnlyBuilt(body);
  const allowPartial = body.allowPartial ?? options.allowPartial ?? false;
  if ((options.allowPartial ?? allowPartial) !== allowPartial)
    throw invalid('allowPartial', 'must equal options.allowPartial if both are given');
  if (allowPartial && 'backupId' in source)
    throw invalid('allowPartial', 'belongs to pointInTime and must not be combined with backupId');
  const collections = requestedCollections(body);
  const documents = body.documentIds && requestedDocuments(body.documentIds, { collections, mergeMode: options.mergeMode });
  const { backup, pointRequest } =
    'backupId' in source
      ? { backup: await readBackup(tenant, source.backupId), pointRequest: undefined }
      : await readPointRequest(tenant, {
          ...source,
          scope: { collections, documents, includeSubcollections: options.includeSubcollections, allowPartial },
          now,
        });
  assertRestorable(backup);
  const [project, target] = await requestedProjects(tenant, backup, body.targetProjectId);
  if (transform) assertMaskable(project, target, includeAuthUsers);
  const destination = await readDestination(tenant, safetyStorageDestinationId ?? backup.storageDestination.id);
  const isWhole = collections.includes('*') && !documents;
  // A partial point in time was refused above.
  if (!pointRequest) assertRollbackAllowed(backup, options.mergeMode);
  return {
    backup,
    project,
    target,
    destination,
    pointRequest,
    options: {
      ...options,
      collections: buildOnly ? ['*'] : collections,
      documents,
      includeAuthUsers: !transform && includesUsers(backup, includeAuthUsers, isWhole),
      ...(transform && { transform }),
      // All that is proven is built, so that another question about the same moment needs no other backup.
      ...(buildOnly && { buildsOnly: true, dryRun: true, includeSubcollections: true }),
    },
  };
};

/** Options with these values are as good as not given. */
const usualOptions: Readonly<Record<string, unknown>> = {
  mergeMode: 'overwrite',
  dryRun: false,
  safetyBackup: true,
};

/** What is about single documents, or about a target, is refused. The collections say what has to be proven. */
const assertOnlyBuilt = ({ options, projectId: _, collections: __, pointInTime, ...body }: RestoreBody): void => {
  if (pointInTime === undefined) throw invalid('options.buildOnly', 'belongs to pointInTime: a backup is there already');
  const { buildOnly: ___, collections: ____, includeSubcollections: _____, ...others } = options;
  const given = [
    ...Object.entries(body),
    ...Object.entries(others)
      .filter(([name, value]) => value !== usualOptions[name])
      .map(([name, value]) => [`options.${name}`, value] as const),
  ].find(([, value]) => value !== undefined);
  if (given)
    throw invalid(
      given[0],
      'must not be combined with options.buildOnly, which builds all that is proven of the moment and writes to no database',
    );
};

export type RequestedSource = { readonly backupId: string } | { readonly projectId: string; readonly pointInTime: string };

/** Exactly one of a backup and a point in time. */
export const requestedSource = ({
  backupId,
  projectId,
  pointInTime,
}: Pick<RestoreBody, 'backupId' | 'projectId' | 'pointInTime'>): RequestedSource => {
  if (backupId !== undefined) {
    if (pointInTime !== undefined) throw invalid('pointInTime', 'must not be combined with backupId');
    if (projectId !== undefined) throw invalid('projectId', 'belongs to pointInTime and must not be combined with backupId');
    return { backupId };
  }
  if (pointInTime === undefined && projectId === undefined)
    throw invalid('backupId', 'is required, or projectId and pointInTime instead');
  if (projectId === undefined) throw invalid('projectId', 'is required with pointInTime');
  if (pointInTime === undefined) throw invalid('pointInTime', 'is required with projectId, unless backupId is given instead');
  return { projectId, pointInTime };
};

/** The list is stored on the record, and an item holds 400 KB. */
const collectionsMaxBytes = 64 << 10;

/** Accepted in either field, or in both if they are equal. */
const requestedCollections = ({ collections: outer, options: { collections: inner } }: RestoreBody): readonly string[] => {
  if (outer && inner && !isSameSet(outer, inner))
    throw invalid('collections', 'must equal options.collections if both are given');
  return checkCollections(outer ?? inner ?? ['*'], outer ? 'collections' : 'options.collections');
};

/** Each once. Throws a VALIDATION_ERROR if one is no collection, or if they are too many to store. */
export const checkCollections = (given: readonly string[], field: string): readonly string[] => {
  const invalidAt = given.findIndex((path) => path !== '*' && !isCollectionPath(path));
  if (invalidAt >= 0) throw invalid(`${field}.${invalidAt}`, 'must be the path of a collection, with ids of at most 1500 bytes');
  if (Buffer.byteLength(JSON.stringify(given)) > collectionsMaxBytes)
    throw invalid(field, `must have at most ${collectionsMaxBytes} bytes`);
  return [...new Set(given)];
};

const isSameSet = (a: readonly string[], b: readonly string[]): boolean => new Set(a).symmetricDifference(new Set(b)).size === 0;

export const assertRestorable = (backup: BackupRecord): void => {
  const { status } = backup;
  if (status === 'deleted') throw noSuchBackup();
  if (status !== 'completed')
    throw new ApiError('CONFLICT', `Only a completed backup can be restored; this one is ${status}`, { status });
  assertNotLeaving(backup);
};

/** A backup outlives its project; the target must be connected. */
const requestedProjects = async (
  tenant: Tenant,
  { projectId }: BackupRecord,
  targetProjectId: string | undefined,
): Promise<readonly [ProjectRecord | undefined, ProjectRecord]> => {
  const project = await get(projectKey.project(tenant, projectId));
  if (targetProjectId !== undefined && targetProjectId !== projectId)
    return [project, await readProject(tenant, targetProjectId)];
  if (project) return [project, project];
  if (targetProjectId !== undefined) throw projectNotFound();
  throw new ApiError('PROJECT_NOT_FOUND', 'The project of the backup is no longer connected; name another as targetProjectId');
};

/** Rules are about fields of documents, so users would be copied unmasked. */
const assertMaskable = (
  project: ProjectRecord | undefined,
  target: ProjectRecord,
  includeAuthUsers: boolean | undefined,
): void => {
  if (project && mayBeSameDatabase(databaseName(project), databaseName(target)))
    throw invalid('targetProjectId', maskedTargetReason);
  if (includeAuthUsers)
    throw invalid(
      'options.includeAuthUsers',
      'must not be true with options.transform: rules mask documents, and users would be copied with their addresses and names',
    );
};

/** A rollback to a partial backup would delete documents that the backup was never meant to cover. */
const assertRollbackAllowed = ({ trigger, isPartial }: BackupRecord, mergeMode: StartRestoreOptions['mergeMode']): void => {
  if (mergeMode !== 'rollback') return;
  if (trigger === 'safety')
    throw invalid('options.mergeMode', 'must not be rollback for a safety backup: undo the restore that made it, with /undo');
  if (isPartial)
    throw invalid(
      'options.mergeMode',
      'must not be rollback for this backup: it holds single documents, or does not say what it covers, so documents it lacks may have existed',
    );
};

/** A restore of everything includes the users by default; a partial one only on request. */
const includesUsers = ({ authUsers }: BackupRecord, requested: boolean | undefined, isWhole: boolean): boolean => {
  if (requested && authUsers === undefined) throw invalid('options.includeAuthUsers', 'the backup contains no users');
  return requested ?? (authUsers !== undefined && isWhole);
};
