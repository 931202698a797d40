/**
 * Runs the workflow steps of a whole backup: start, prepare, plan, copy one shard after the other, seal. The table is in this
 * process and counts requests; source and store are given.
 */
import { randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { copyShard, planBackup, prepareBackup, sealBackup, startBackup } from '../../../shared/backup/index.ts';
import type { StartBackupOptions } from '../../../shared/backup/model/start-options.ts';
import { runBackupStep } from '../../../shared/backup/steps/backup-steps.ts';
import type { DestinationRecord, ObjectStore } from '../../../shared/destination/index.ts';
import { FirestoreDatabase } from '../../../shared/firestore/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { after, clock, commit, newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import {
  type BackupDeps,
  type BackupRecord,
  backupKey,
  backupPrefix,
  isPlanned,
  type PlannedBackup,
} from '../../../shared/stored-backup/index.ts';
import { answerOnWire } from '../../harness/aws/in-process.ts';
import type { Input, Script } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

/** Requests to the table, in billing units. */
export interface TableAccount {
  requests: number;
  itemsWritten: number;
  writeUnits: number;
  readUnits: number;
}

export interface Made {
  readonly shards: number;
  readonly documents: number;
  readonly bytes: number;
  readonly reads: number;
  readonly table: TableAccount;
}

const table = new InMemoryTable();
const account: TableAccount = { requests: 0, itemsWritten: 0, writeUnits: 0, readUnits: 0 };
answerOnWire(Object.fromEntries(Object.entries(table.script).map(([action, run]) => [action, counted(action, run)])));

let tenant = unsafeTenant(newId('organization'), 'record');
let dataKey = randomBytes(32);
const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };

type OpenFolder = (folder: string) => Promise<ObjectStore>;

export const makeBackup = async (url: string, sourceProjectId: string, openStore: OpenFolder): Promise<Made> => {
  const world = createWorld(sourceProjectId);
  return runBackup(world, engineOf(url, sourceProjectId, openStore), options);
};

/** A project and a destination. */
export interface World {
  readonly project: ProjectRecord;
  readonly destination: DestinationRecord;
}

/** Replaces the one before. */
export const createWorld = (sourceProjectId: string): World => {
  table.items.clear();
  const [project, destination] = [projectOf(sourceProjectId), destinationOf()];
  const organization = { id: tenant.organizationId, name: 'Bench', backupCount: 0, storageUsed: 0 };
  for (const item of [{ ...organizationKey.organization(tenant), ...organization }, project, destination]) table.put(item);
  return { project, destination };
};

/** The world with its backups, for another process. */
export const packWorld = (world: World): Buffer => serialize({ world, dataKey, tenant, items: [...table.items] });

export const unpackWorld = (packed: Buffer): World => {
  const found = deserialize(packed) as {
    readonly world: World;
    readonly dataKey: Uint8Array;
    readonly tenant: { readonly organizationId: string };
    readonly items: readonly (readonly [string, never])[];
  };
  tenant = unsafeTenant(found.tenant.organizationId, 'record');
  dataKey = Buffer.from(found.dataKey);
  table.items.clear();
  for (const [key, item] of found.items) table.items.set(key, item);
  return found.world;
};

export const benchTenant = () => tenant;

/** The only backup of its kind so far. */
export const completedBackup = (isWanted: (backup: BackupRecord) => boolean = () => true): PlannedBackup => {
  const found = table.find(`ORG#${tenant.organizationId}`, backupPrefix) as unknown as readonly BackupRecord[];
  const [backup] = found.filter((one) => one.status === 'completed' && isWanted(one));
  if (!backup || !isPlanned(backup)) throw new Error('there is no completed backup');
  return backup;
};

export const runBackup = async (
  { project, destination }: World,
  engine: BackupDeps,
  given: Partial<StartBackupOptions> = {},
): Promise<Made> => {
  Object.assign(account, { requests: 0, itemsWritten: 0, writeUnits: 0, readUnits: 0 });
  const encryption = { mode: 'kms', keyId: 'key' } as const;
  const { backup, writes } = startBackup({ tenant, project, destination, encryption }, { ...options, ...given }, clock.now());
  await commit(writes);
  const step = <T>(work: () => Promise<T>): Promise<T> => runBackupStep(tenant, { backupId: backup.id, work });
  await step(() => prepareBackup(tenant, backup.id, engine));
  const { shards } = await step(() => planBackup(tenant, backup.id, engine));
  for (const shard of shards)
    while (
      !(await step(() =>
        copyShard(tenant, { backupId: backup.id, number: shard, handOver: after(clock.now(), 3_000), deps: engine }),
      ))
    );
  await step(() => sealBackup(tenant, backup.id, engine));
  const made = table.get<{ status: string; documentCount: number; originalSize: number; reads: number }>(
    backupKey.backup(tenant, backup.id),
  );
  if (made?.status !== 'completed') throw new Error(`the backup is ${made?.status}`);
  return {
    shards: shards.length,
    documents: made.documentCount,
    bytes: made.originalSize,
    reads: made.reads,
    table: { ...account },
  };
};

const options: StartBackupOptions = {
  type: 'full',
  collections: ['*'],
  excludeCollections: [],
  includeAuthUsers: false,
  trigger: 'manual',
  createdBy: { type: 'user', id: newId('user') },
};

export const engineOf = (endpoint: string, projectId: string, openStore: OpenFolder): BackupDeps => ({
  clock,
  openSource: () => new FirestoreDatabase({ endpoint, projectId, token: async () => 'owner', random: Math.random }),
  readAuthUsers: async function* () {},
  openStore: (_tenant, _destination, folder) => openStore(folder),
  newDataKey: async () => ({
    ...{ dataKey, keyFile: Buffer.from('key'), encryption: { mode: 'kms', keyId: 'key' } },
    check: { check: { ...organizationKey.organization(tenant), sk: 'ENCRYPTION' }, condition: 'attribute_not_exists(pk)' },
  }),
  dataKeyOf: async () => dataKey,
  unlockKeyFile: async () => ({ dataKey, encryption: { mode: 'kms', keyId: 'key' } }),
});

const projectOf = (sourceProjectId: string): ProjectRecord => {
  const id = newId('project');
  return {
    ...{ ...projectKey.project(tenant, id), id, name: 'Bench', sourceProjectId, databaseId: '(default)', status: 'connected' },
    connection: { type: 'user', userId: newId('user'), email: 'ada@example.com' },
    settings: { backupTimeoutMinutes: 60, defaultStorageId: null },
    ...{ pitr: { enabled: false }, lastBackupAt: null, ...times },
  };
};

const destinationOf = (): DestinationRecord => {
  const id = newId('storageDestination');
  return {
    ...{ ...organizationKey.storageDestination(tenant, id), id, name: 'Bucket', type: 's3', bucket: 'bucket', prefix: '' },
    ...{ region: 'eu-central-1', endpoint: null, sealed: [] as unknown as Uint8Array, masked: {}, immutable: false },
    ...{ objectLock: null, status: 'connected', backupCount: 0, lastTestedAt: null, ...times },
  };
};

/** A write costs one unit per KiB, twice that in a transaction; a read costs half a unit per 4 KiB, or one if consistent. */
function counted(action: string, run: Script[string]): Script[string] {
  return (input: Input) => {
    const answer = run(input);
    account.requests += 1;
    if (action === 'TransactWriteItems') {
      const operations = input.TransactItems as readonly object[];
      account.itemsWritten += operations.filter((operation) => !('ConditionCheck' in operation)).length;
      for (const operation of operations) account.writeUnits += 2 * Math.ceil(JSON.stringify(operation).length / 1_024);
    } else if (action === 'UpdateItem') {
      account.itemsWritten += 1;
      account.writeUnits += Math.ceil(JSON.stringify(input).length / 1_024);
    } else account.readUnits += Math.max(1, Math.ceil(JSON.stringify(answer).length / 4_096));
    return answer;
  };
}
