/** The engine over a Firestore, a store and a table that are all in this process: every step as the workflow runs it. */

import { createHash } from 'node:crypto';
import { lastKey } from '../../../infra/local/engines/firestore/base/path-key.ts';
import type { Firestore } from '../../../infra/local/engines/firestore/index.ts';
import { proto } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { commitWrites, parseWrite } from '../../../infra/local/engines/firestore/write/commit-writes.ts';
import { Archive, type Manifest, openManifest, recordKind } from '../../../shared/archive/index.ts';
import {
  type BackupDeps,
  type BackupRecord,
  backupKey,
  cleanUpBackup,
  copyShard,
  failBackup,
  planBackup,
  prepareBackup,
  reasonFor,
  runStep,
  type StartBackupOptions,
  sealBackup,
  startBackup,
} from '../../../shared/backup/index.ts';
import { type DestinationRecord, MemoryStore, type ObjectStore } from '../../../shared/destination/index.ts';
import { FirestoreDatabase } from '../../../shared/firestore/index.ts';
import { JobFailure } from '../../../shared/job/index.ts';
import { type OrganizationRecord, organizationKey } from '../../../shared/organization/index.ts';
import { after, commit, newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import { answerInProcess } from '../aws/in-process.ts';
import { startServer } from '../firestore/firestore-server.ts';
import { InMemoryTable } from '../table/in-memory-table.ts';

export const table = new InMemoryTable();
answerInProcess(table.script);
/** What the source takes for the time; a test may put it forward. */
export const sourceTime = { nowMs: () => Date.now() };
const started = await startServer({ clock: () => sourceTime.nowMs() * 1_000 });
let stopping: Promise<void> | undefined;
export const server: Firestore = { ...started, stop: () => (stopping ??= started.stop()) };

const databaseId = '(default)';
export const rootOf = ({ sourceProjectId }: World): string => `projects/${sourceProjectId}/databases/${databaseId}/documents`;

/** The fields of a document, encoded. */
export type Fields = ReadonlyMap<string, Uint8Array>;
export const textField = (text: string): Fields => new Map([['text', proto.Value.encode({ stringValue: text })]]);

export const write = async (world: World, documents: Iterable<readonly [path: string, fields: Fields]>): Promise<void> => {
  const name = { projectId: world.sourceProjectId, databaseId };
  const writes = [...documents].map(([path, fields]) => {
    const update = proto.Document.encode({ name: `${rootOf(world)}/${path}`, fields });
    return parseWrite(proto.Write.encode({ update }), name);
  });
  for (let n = 0; n < writes.length; n += 500) await commitWrites(server.databases.open(name), writes.slice(n, n + 500));
};

export const writePaths = (world: World, paths: readonly string[], letters = 20): Promise<void> =>
  write(
    world,
    paths.map((path) => [path, textField('x'.repeat(letters))]),
  );

/** What the database holds, in its own order: path and encoded bytes. */
export const contents = ({ sourceProjectId: projectId }: World): readonly (readonly [string, string])[] => {
  const database = server.databases.open({ projectId, databaseId });
  return [...database.scan('', lastKey, database.readTime())].map(({ path, bytes }) => [
    path,
    Buffer.from(bytes).toString('hex'),
  ]);
};

export const tenant = unsafeTenant(newId('organization'), 'record');
export const projectId = newId('project');
export const destinationId = newId('storageDestination');

export interface World {
  /** The database it reads: new for every world, so no test sees another's documents. */
  readonly sourceProjectId: string;
  readonly engine: BackupDeps;
  readonly store: MemoryStore;
  /** What the store is reached through: faults go here. */
  through: (store: MemoryStore) => ObjectStore;
  users: { id: string; json: Buffer }[];
  token: () => Promise<string>;
  nowMs: () => number;
}

let worlds = 0;

/** Everything as it is before the first backup. */
export const newWorld = (sourceProjectId = `source-${++worlds}`): World => {
  table.items.clear();
  table.onWrite = () => undefined;
  table.onRead = () => undefined;
  server.faults.clear();
  const pk = organizationKey.organization(tenant).pk;
  table.put({ ...organizationKey.organization(tenant), id: tenant.organizationId, name: 'Acme', backupCount: 0, storageUsed: 0 });
  table.put(projectOf(sourceProjectId));
  table.put({ ...destination(), pk });
  const store = new MemoryStore();
  const keys = new Map<string, Buffer>();
  const world: World = {
    sourceProjectId,
    store,
    through: (inner) => inner,
    users: [],
    token: async () => 'owner',
    nowMs: () => Date.now(),
    engine: {
      clock: { now: () => new Date(world.nowMs()) },
      openSource: () =>
        new FirestoreDatabase({
          endpoint: server.url,
          projectId: sourceProjectId,
          token: () => world.token(),
          random: () => 0.5,
          sleep: async () => undefined,
        }),
      readAuthUsers: async function* () {
        yield* world.users;
      },
      openStore: async () => world.through(store),
      newDataKey: async (_tenant, archive) => {
        const dataKey = createHash('sha256').update(`${archive.backup} ${keys.size}`).digest();
        const keyFile = Buffer.from(`the key ${keys.size} of ${archive.backup}`);
        keys.set(keyFile.toString(), dataKey);
        const check = { check: { pk, sk: 'ENCRYPTION' }, condition: 'attribute_not_exists(pk)' };
        return { dataKey, keyFile, encryption: { mode: 'kms', keyId: 'key' }, check };
      },
      dataKeyOf: async (_tenant, { keyFile }) => keys.get(Buffer.from(keyFile!).toString())!,
      // The same key wrapped another way is the same text with white space around it.
      unlockKeyFile: async (_tenant, keyFile) => {
        const dataKey = keys.get(Buffer.from(keyFile).toString().trim());
        if (!dataKey) throw new JobFailure('KEY_UNAVAILABLE', 'The key does not open');
        return { dataKey, encryption: { mode: 'kms', keyId: 'key' } };
      },
    },
  };
  return world;
};

const projectOf = (sourceProjectId: string): ProjectRecord => ({
  ...projectKey.project(tenant, projectId),
  id: projectId,
  name: 'Shop',
  sourceProjectId,
  databaseId,
  status: 'connected',
  connection: { type: 'user', userId: newId('user'), email: 'ada@example.com' },
  settings: { backupTimeoutMinutes: 30, defaultStorageId: null },
  pitr: { enabled: false },
  lastBackupAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
});

const destination = (): DestinationRecord => ({
  ...organizationKey.storageDestination(tenant, destinationId),
  id: destinationId,
  name: 'Bucket',
  type: 's3',
  bucket: 'bucket',
  prefix: '',
  region: 'eu-central-1',
  endpoint: null,
  sealed: [] as unknown as Uint8Array,
  masked: {},
  immutable: false,
  objectLock: null,
  status: 'connected',
  backupCount: 0,
  lastTestedAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
});

const wish: StartBackupOptions = {
  type: 'full',
  collections: ['*'],
  excludeCollections: [],
  includeAuthUsers: false,
  trigger: 'manual',
  createdBy: { type: 'user', id: newId('user') },
};

/** As POST /backups does it. */
export const begin = async (world: World, more: Partial<StartBackupOptions> = {}): Promise<string> => {
  const place = {
    tenant,
    project: projectOf(world.sourceProjectId),
    destination: destination(),
    encryption: { mode: 'kms', keyId: 'key' } as const,
  };
  const { backup, writes } = startBackup(place, { ...wish, ...more }, world.engine.clock.now());
  await commit(writes);
  return backup.id;
};

/** Where a workflow is: it goes on from here after a crash, as Step Functions does. */
export interface Position {
  step: 'prepare' | 'plan' | 'copy' | 'seal' | 'end';
  shards: number[];
}
export const start = (): Position => ({ step: 'prepare', shards: [] });

/** One shard after the other and every step once: whatever fails is for the caller to go on after. */
export const runFrom = async (world: World, backupId: string, position: Position): Promise<void> => {
  const { engine } = world;
  const step = <T>(work: () => Promise<T>): Promise<T> => runStep(tenant, backupId, work);
  if (position.step === 'prepare') {
    await step(() => prepareBackup(tenant, backupId, engine));
    position.step = 'plan';
  }
  if (position.step === 'plan') {
    const { shards } = await step(() => planBackup(tenant, backupId, engine));
    Object.assign(position, { step: 'copy', shards: [...shards] });
  }
  for (let shard = position.shards[0]; shard !== undefined; shard = position.shards[0]) {
    const number = shard;
    while (!(await step(() => copyShard(tenant, backupId, number, after(engine.clock.now(), 600), engine))));
    position.shards.shift();
  }
  await step(() => sealBackup(tenant, backupId, engine));
  position.step = 'end';
};

export interface RunOptions {
  /** Time a copy worker has. */
  readonly copySeconds?: number;
  readonly triesMax?: number;
  /** Told of every error that Step Functions would see. */
  readonly onError?: (step: string, error: Error) => void;
  readonly afterPlan?: () => unknown;
  /** Called for every run of a copy worker. */
  readonly onRun?: () => unknown;
}

/** The workflow: infra/workflow/backup.ts, without its waits. */
export const runWorkflow = async (world: World, backupId: string, options: RunOptions = {}): Promise<void> => {
  const { engine } = world;
  const { copySeconds = 600, triesMax = 7, onError } = options;
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await runStep(tenant, backupId, work);
      } catch (error) {
        onError?.(name, error as Error);
        if ((error as Error).name === 'JobFailed' || tries === triesMax) throw error;
      }
    }
  };
  const copy = async (shard: number): Promise<void> => {
    const handOver = () => after(engine.clock.now(), copySeconds);
    const run = (): Promise<boolean> => {
      options.onRun?.();
      return copyShard(tenant, backupId, shard, handOver(), engine);
    };
    while (!(await step('copy', run)));
  };
  try {
    await step('prepare', () => prepareBackup(tenant, backupId, engine));
    const { shards } = await step('plan', () => planBackup(tenant, backupId, engine));
    await options.afterPlan?.();
    await Promise.all(shards.map(copy));
    await step('seal', () => sealBackup(tenant, backupId, engine));
  } catch (error) {
    const now = engine.clock.now();
    await failBackup(tenant, backupId, (backup) => reasonFor(backup, { Error: (error as Error).name }, now), now);
    await cleanUpBackup(tenant, backupId, engine);
  }
};

export const recordOf = (backupId: string): BackupRecord => table.get<BackupRecord>(backupKey.backup(tenant, backupId))!;

export const organizationNow = (): OrganizationRecord => table.get<OrganizationRecord>(organizationKey.organization(tenant))!;

export const eventsOf = (type?: string): readonly Record<string, unknown>[] =>
  table
    .find('ORG#', 'EVENT#')
    .filter((event) => type === undefined || event.type === type)
    .sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));

/** What the deciles of all progress events were, in order. */
export const reportedPercents = (): readonly number[] =>
  eventsOf('backup.progress').map(({ data }) => (data as { progress: { percent: number } }).progress.percent);

export interface Restored {
  readonly manifest: Manifest;
  readonly documents: readonly (readonly [string, string])[];
  readonly users: readonly (readonly [string, string])[];
}

/** Everything the stored backup holds, by nothing but its objects, its key and its digest. */
export const readBack = async (world: World, backupId: string): Promise<Restored> => {
  const { store, engine } = world;
  const record = recordOf(backupId);
  const dataKey = await engine.dataKeyOf(tenant, record);
  const manifest = await openManifest(store.objects.get('manifest')!, {
    identity: record.archive,
    dataKey,
    digest: record.manifestDigest,
  });
  const fetch = async ({ name }: { name: string }, offset: number, length: number) => store.get(name, { offset, length });
  const archive = new Archive(manifest, { fetch, dataKey: () => dataKey });
  const documents: [string, string][] = [];
  const users: [string, string][] = [];
  for await (const segment of archive.segments()) {
    const leaf = await archive.leaf(segment);
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      const full = leaf.name(slot).toString();
      if (leaf.kind(slot) === recordKind.user) users.push([full, leaf.content(slot).toString()]);
      else documents.push([full.slice(rootOf(world).length + 1), leaf.content(slot).toString('hex')]);
    }
  }
  return { manifest, documents, users };
};
