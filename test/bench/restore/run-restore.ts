/** Runs the workflow steps of a whole restore over a table in this process, without a rate limit. */
import { join } from 'node:path';
import type { DestinationRecord, ObjectStore } from '../../../shared/destination/index.ts';
import { FirestoreDatabase } from '../../../shared/firestore/index.ts';
import { RunControl } from '../../../shared/job/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { after, clock, commit, newId, type Tenant, unsafeTenant } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import { journalBackup } from '../../../shared/restore/model/journal.ts';
import { type RestoreRecord, restoreKey } from '../../../shared/restore/model/record.ts';
import { loadRestoreContext } from '../../../shared/restore/model/restore-context.ts';
import { loadRunning } from '../../../shared/restore/model/running-restore.ts';
import { checkShard } from '../../../shared/restore/plan/check-shard.ts';
import { openForRestore } from '../../../shared/restore/read/open-for-restore.ts';
import type { RestoreDeps } from '../../../shared/restore/restore-deps.ts';
import { sealJournal } from '../../../shared/restore/seal/seal-journal.ts';
import { startRestore } from '../../../shared/restore/start/start-restore.ts';
import { finishRestore } from '../../../shared/restore/steps/finish-restore.ts';
import { prepareRestore } from '../../../shared/restore/steps/prepare-restore.ts';
import { writeDocuments } from '../../../shared/restore/write/write-documents.ts';
import { claimShard } from '../../../shared/restore/write/write-progress.ts';
import { type BackupRecord, backupKey } from '../../../shared/stored-backup/index.ts';
import { answerOnWire } from '../../harness/aws/in-process.ts';
import { DirectoryStore } from '../../harness/store/directory-store.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';
import { keyOf, type MadeBackup } from './ready-backup.ts';

const table = new InMemoryTable();
answerOnWire(table.script);
const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
export const folder = 'backup';

export interface Ask {
  readonly url: string;
  /** The target database. */
  readonly project: string;
  readonly documents?: readonly string[];
}

export interface Restored {
  readonly written: number;
  readonly writeSeconds: number;
  readonly writeCpuSeconds: number;
  /** Ranges read from the backup, and their bytes. */
  readonly ranges: number;
  readonly bytes: number;
}

/** Restores a backup that is stored in a local folder. */
export class RestoreBench {
  readonly backup: MadeBackup;
  readonly #dir: string;
  readonly #tenant: Tenant;
  #ranges = 0;
  #bytes = 0;

  constructor(dir: string, backup: MadeBackup) {
    this.#dir = dir;
    this.#tenant = unsafeTenant(backup.organization, 'record');
    this.backup = backup;
  }

  async restore(ask: Ask): Promise<Restored> {
    table.items.clear();
    [this.#ranges, this.#bytes] = [0, 0];
    const tenant = this.#tenant;
    const target = projectOf(tenant, ask.project);
    const backup = this.#record(target.id);
    const destination = destinationOf(tenant);
    const organization = { id: tenant.organizationId, name: 'Bench', backupCount: 0, storageUsed: 0 };
    for (const item of [{ ...organizationKey.organization(tenant), ...organization }, target, destination, backup])
      table.put(item);
    const engine = this.#engine(ask.url);
    const encryption = { mode: 'kms', keyId: 'key' } as const;
    const { documents } = ask;
    const { restore, writes } = startRestore(
      { tenant, backup, project: target, target, destination, encryption },
      {
        ...{ mergeMode: 'overwrite', dryRun: false, collections: ['*'], includeSubcollections: true, includeAuthUsers: false },
        ...{ safetyBackup: true, createdBy: { type: 'user', id: newId('user') } },
        ...(documents && { documents: { paths: documents, given: documents.map((path) => [path, [path]] as const) } }),
      },
      clock.now(),
    );
    await commit(writes);
    const { shards } = await prepareRestore({ tenant, restoreJobId: restore.id, attempt: 1 }, engine);
    for (const shard of shards)
      while (!(await checkShard({ tenant, restoreJobId: restore.id, attempt: 1, shard, handOver: soon() }, engine)));
    await sealJournal({ tenant, restoreJobId: restore.id, attempt: 1 }, engine);
    const cpu = process.cpuUsage();
    const started = performance.now();
    for (const shard of shards) while (!(await write(tenant, { id: restore.id, number: shard, deps: engine })));
    const writeSeconds = (performance.now() - started) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    await finishRestore({ tenant, restoreJobId: restore.id, attempt: 1 }, engine);
    const { status, written } = table.get<RestoreRecord>(restoreKey.restore(tenant, restore.id)) ?? {};
    if (status !== 'completed') throw new Error(`the restore is ${status}`);
    return {
      written: written ?? 0,
      writeSeconds,
      writeCpuSeconds: (user + system) / 1e6,
      ranges: this.#ranges,
      bytes: this.#bytes,
    };
  }

  #engine(endpoint: string): RestoreDeps {
    const journalKey = keyOf('journal');
    const tenant = this.#tenant;
    return {
      clock,
      random: Math.random,
      openToolkit: () => {
        throw new Error('the backup has no users');
      },
      openSource: (_tenant, { sourceProjectId }) =>
        new FirestoreDatabase({ endpoint, projectId: sourceProjectId, token: async () => 'owner', random: Math.random }),
      readAuthUsers: async function* () {},
      openStore: async (_tenant, _destination, path) =>
        path === folder ? this.#counted(new DirectoryStore(join(this.#dir, path))) : new DirectoryStore(join(this.#dir, path)),
      newDataKey: async () => ({
        ...{ dataKey: journalKey, keyFile: Buffer.from('journal'), encryption: { mode: 'kms', keyId: 'key' } },
        check: { check: { ...organizationKey.organization(tenant), sk: 'ENCRYPTION' }, condition: 'attribute_not_exists(pk)' },
      }),
      dataKeyOf: async (_tenant, { id }) => (id === this.backup.id ? keyOf(id) : journalKey),
      unlockKeyFile: async () => ({ dataKey: journalKey, encryption: { mode: 'kms', keyId: 'key' } }),
    };
  }

  #counted(store: DirectoryStore): ObjectStore {
    const get = store.get.bind(store);
    store.get = async (name, range) => {
      const bytes = await get(name, range);
      if (range) this.#ranges += 1;
      this.#bytes += bytes.length;
      return bytes;
    };
    return store;
  }

  #record(projectId: string): BackupRecord {
    const { organization, project, id, manifestDigest } = this.backup;
    return {
      ...{ ...backupKey.backup(this.#tenant, id), id, projectId, type: 'full', status: 'completed' },
      ...{ archive: { organization, project, backup: id }, path: folder, keyFile: Buffer.from('key') },
      ...{ manifestDigest, encryption: { mode: 'kms', keyId: 'key' }, trigger: 'manual' },
      storageDestination: { id: destinationId, name: 'Bucket', type: 's3' },
      ...{ collections: ['*'], excludedCollections: [], includeAuthUsers: false, lockedUntil: null, ...times },
    } as unknown as BackupRecord;
  }
}

const soon = (): Date => after(clock.now(), 3_000);

/** Like `writeShard`, without a rate limit. */
const write = async (
  tenant: Tenant,
  { id, number, deps }: { readonly id: string; readonly number: number; readonly deps: RestoreDeps },
): Promise<boolean> => {
  const { restore, organization } = await loadRunning({ tenant, restoreJobId: id, attempt: 1 });
  const context = await loadRestoreContext(tenant, restore, organization);
  const backup = table.get<BackupRecord>(backupKey.backup(tenant, restore.backupId)) as BackupRecord;
  const [open, journal] = [
    await openForRestore(tenant, backup, deps),
    await openForRestore(tenant, journalBackup(tenant, restore), deps),
  ];
  const target = deps.openSource(tenant, context.target);
  const control = new RunControl(soon(), clock);
  try {
    const claim = await claimShard(tenant, restore, { number, handOver: soon(), random: deps.random });
    return !claim || (await writeDocuments({ context, restore, backup, open, journal, target, control, deps }, claim));
  } finally {
    for (const one of [control, target, open, journal]) one.close();
  }
};

const projectOf = (tenant: Tenant, sourceProjectId: string): ProjectRecord => {
  const id = newId('project');
  return {
    ...{ ...projectKey.project(tenant, id), id, name: 'Bench', sourceProjectId, databaseId: '(default)', status: 'connected' },
    connection: { type: 'user', userId: newId('user'), email: 'ada@example.com' },
    settings: { backupTimeoutMinutes: 60, defaultStorageId: null },
    ...{ pitr: { enabled: false }, lastBackupAt: null, ...times },
  };
};

const destinationId = newId('storageDestination');
const destinationOf = (tenant: Tenant): DestinationRecord => ({
  ...{ ...organizationKey.storageDestination(tenant, destinationId), id: destinationId, name: 'Bucket', type: 's3' },
  ...{ bucket: 'bucket', prefix: '', region: 'eu-central-1', endpoint: null, sealed: [] as unknown as Uint8Array, masked: {} },
  ...{ immutable: false, objectLock: null, status: 'connected', backupCount: 0, lastTestedAt: null, ...times },
});
