/** Chains of backups of a source that changes between them. */

import { resolveType } from '../../../shared/backup/index.ts';
import type { StartBackupOptions } from '../../../shared/backup/model/start-options.ts';
import type { DestinationRecord } from '../../../shared/destination/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import type { BackupRecord } from '../../../shared/stored-backup/index.ts';
import type { ArchiveEnv, Fields } from './archive-env.ts';

export const text = (stringValue: string): Fields => ({ text: { stringValue } });

/** Makes an incremental backup of the source; a full one if there is no suitable parent. */
export const takeLink = async (t: ArchiveEnv, more: Partial<StartBackupOptions> = {}): Promise<BackupRecord> => {
  const { table, tenant } = t;
  const context = {
    tenant,
    project: table.get<ProjectRecord>(projectKey.project(tenant, t.projectId))!,
    destination: table.get<DestinationRecord>(organizationKey.storageDestination(tenant, t.destinationId))!,
  };
  const { collections = ['*'], excludeCollections = [] } = more;
  return t.takeBackup({
    ...more,
    ...(await resolveType(context, { type: 'incremental', collections, excludeCollections })),
  });
};

/** Documents of a source by path. */
export type State = Readonly<Record<string, string>>;

export const asFields = (state: State): Record<string, Fields> =>
  Object.fromEntries(Object.entries(state).map(([path, value]) => [path, text(value)]));

export interface Link {
  readonly backup: BackupRecord;
  readonly state: State;
}

/** One backup per step; undefined deletes a document. */
export const takeChain = async (
  t: ArchiveEnv,
  steps: readonly Readonly<Record<string, string | undefined>>[],
  more: Partial<StartBackupOptions> = {},
): Promise<readonly Link[]> => {
  const links: Link[] = [];
  let state: State = {};
  for (const step of steps) {
    await t.put(
      Object.fromEntries(Object.entries(step).map(([path, value]) => [path, value === undefined ? value : text(value)])),
    );
    const present = Object.entries({ ...state, ...step }).filter((entry): entry is [string, string] => entry[1] !== undefined);
    state = Object.fromEntries(present);
    links.push({ backup: await takeLink(t, more), state });
  }
  return links;
};

/** Twelve documents in each of three collections. Some change, one is deleted, one is restored, one is new; then little changes. */
export const usualSteps = (): readonly Readonly<Record<string, string | undefined>>[] => {
  const names = ['a', 'c', 'e'].flatMap((id) => Array.from({ length: 12 }, (_, n) => `${id}/${n}`));
  return [
    { ...Object.fromEntries(names.map((path) => [path, `${path} first`])), 'gone/1': 'to go', 'a/3/deep/1': 'deep' },
    { 'a/1': 'changed', 'c/7': 'changed', 'e/11': undefined, 'gone/1': undefined, 'b/new': 'new' },
    { 'a/1': 'again', 'e/11': 'back', 'c/8': undefined },
    { 'a/2': 'last' },
  ];
};
