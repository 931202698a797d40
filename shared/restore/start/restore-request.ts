/** What a person may ask of a restore, decided before anything is begun. */
import type * as z from 'zod';
import { type BackupRecord, noSuchBackup, readBackup } from '../../backup/index.ts';
import type { restores } from '../../contract/endpoints/restores.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { type DestinationRecord, readDestination } from '../../destination/index.ts';
import { isCollectionPath } from '../../firestore/index.ts';
import { clock, get, type Tenant } from '../../platform/index.ts';
import { assertNotLeaving, type ProjectRecord, projectKey, projectNotFound, readProject } from '../../project/index.ts';
import { type MomentAsked, readMoment } from '../point-in-time/point-request.ts';
import { namedDocuments } from '../scope/requested-documents.ts';
import type { StartRestoreOptions } from './start-restore.ts';

export type RestoreBody = z.output<typeof restores.create.body>;

/** A request that can be carried out, with all it is about. */
export interface RestoreRequest {
  readonly backup: BackupRecord;
  /** Of the backup; undefined once it is disconnected. */
  readonly project: ProjectRecord | undefined;
  readonly target: ProjectRecord;
  readonly destination: DestinationRecord;
  /** Of a restore to a moment: what the backup, which is not there yet, is to be made of. */
  readonly moment?: MomentAsked | undefined;
  readonly wish: Omit<StartRestoreOptions, 'createdBy'>;
}

/** The backup is looked for first, then the target, then the destination; what is asked of them comes last. */
export const readRequest = async (tenant: Tenant, body: RestoreBody, now: Date = clock.now()): Promise<RestoreRequest> => {
  const { options } = body;
  const asked = sourceAsked(body);
  const collections = collectionsAsked(body);
  const documents = body.documentIds && namedDocuments(body.documentIds, { collections, mergeMode: options.mergeMode });
  const { backup, moment } =
    'backupId' in asked
      ? { backup: await readBackup(tenant, asked.backupId), moment: undefined }
      : await readMoment(tenant, asked, { collections, documents, includeSubcollections: options.includeSubcollections }, now);
  refuseUnlessRestorable(backup);
  const [project, target] = await projectsAsked(tenant, backup, body.targetProjectId);
  const destination = await readDestination(tenant, options.safetyStorageDestinationId ?? backup.storageDestination.id);
  const isWhole = collections.includes('*') && !documents;
  const { mergeMode, dryRun, includeSubcollections, safetyBackup, maxWritesPerSecond } = options;
  // Of a moment no part is asked for that anything is missing of: that was refused above.
  if (!moment) refuseRollbackOfPart(backup, mergeMode);
  const includeAuthUsers = usersAsked(backup, options.includeAuthUsers, isWhole);
  return {
    backup,
    project,
    target,
    destination,
    ...(moment && { moment }),
    wish: {
      mergeMode,
      dryRun,
      collections,
      documents,
      includeSubcollections,
      includeAuthUsers,
      safetyBackup,
      maxWritesPerSecond,
    },
  };
};

type SourceAsked = { readonly backupId: string } | { readonly projectId: string; readonly pointInTime: string };

/** Exactly one of a backup and a point in time. */
const sourceAsked = ({ backupId, projectId, pointInTime }: RestoreBody): SourceAsked => {
  if (backupId !== undefined) {
    if (pointInTime !== undefined) throw invalid('pointInTime', 'must be left out where backupId is given');
    if (projectId !== undefined)
      throw invalid('projectId', 'goes with pointInTime, and must be left out where backupId is given');
    return { backupId };
  }
  if (pointInTime === undefined && projectId === undefined)
    throw invalid('backupId', 'is required, or projectId and pointInTime in its place');
  if (projectId === undefined) throw invalid('projectId', 'is required with pointInTime');
  if (pointInTime === undefined)
    throw invalid('pointInTime', 'is required with projectId, unless backupId is given in their place');
  return { projectId, pointInTime };
};

/** The list is kept on the record, and an item holds 400 KB with all else. */
const collectionsMaxBytes = 64 << 10;

/** May be given in either place, or in both if they say the same. */
const collectionsAsked = ({ collections: outer, options: { collections: inner } }: RestoreBody): readonly string[] => {
  if (outer && inner && !isSameSet(outer, inner))
    throw invalid('collections', 'must name the same collections as options.collections where both are given');
  const given = outer ?? inner ?? ['*'];
  const field = outer ? 'collections' : 'options.collections';
  const wrong = given.findIndex((path) => path !== '*' && !isCollectionPath(path));
  if (wrong >= 0) throw invalid(`${field}.${wrong}`, 'must be the path of a collection; no id in it has more than 1500 bytes');
  if (Buffer.byteLength(JSON.stringify(given)) > collectionsMaxBytes)
    throw invalid(field, `must have at most ${collectionsMaxBytes} bytes`);
  return [...new Set(given)];
};

const isSameSet = (a: readonly string[], b: readonly string[]): boolean => new Set(a).symmetricDifference(new Set(b)).size === 0;

/** Only what was completed and is still there. */
export const refuseUnlessRestorable = (backup: BackupRecord): void => {
  const { status } = backup;
  if (status === 'deleted') throw noSuchBackup();
  if (status !== 'completed')
    throw new ApiError('CONFLICT', `Only a completed backup can be restored; this one is ${status}`, { status });
  assertNotLeaving(backup);
};

/** A backup outlives its project; what is restored needs one that is connected. */
const projectsAsked = async (
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

/** A safety backup holds single documents: what lies beside them was never meant to go. Nor is it deleted on a guess. */
const refuseRollbackOfPart = ({ trigger, isPartial }: BackupRecord, mergeMode: StartRestoreOptions['mergeMode']): void => {
  if (mergeMode !== 'rollback') return;
  if (trigger === 'safety')
    throw invalid('options.mergeMode', 'must not be rollback for a safety backup: undo the restore that made it, with /undo');
  if (isPartial)
    throw invalid(
      'options.mergeMode',
      'must not be rollback for this backup: it holds single documents, or does not tell what it was to hold, so what it lacks may have been there',
    );
};

/** With all of a backup its users come along; with a part of it only if they are asked for. */
const usersAsked = ({ authUsers }: BackupRecord, asked: boolean | undefined, isWhole: boolean): boolean => {
  if (asked && authUsers === undefined) throw invalid('options.includeAuthUsers', 'the backup holds no users');
  return asked ?? (authUsers !== undefined && isWhole);
};
