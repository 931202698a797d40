/** Restore environment: two databases, a store per folder and a real backup. Runs the steps of a restore like the workflow. */
import { afterAll } from 'vitest';
import { lastKey } from '../../../infra/local/engines/firestore/base/path-key.ts';
import { proto } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { commitWrites, parseWrite } from '../../../infra/local/engines/firestore/write/commit-writes.ts';
import { Archive, openManifest, recordKind } from '../../../shared/archive/index.ts';
import type { BackupRecord } from '../../../shared/backup/index.ts';
import type { DestinationRecord, MemoryStore, ObjectStore } from '../../../shared/destination/index.ts';
import { FirestoreDatabase } from '../../../shared/firestore/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { after, commit, newId } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import {
  answerStep,
  checkShard,
  cleanUpRestore,
  failRestore,
  failureReason,
  finishRestore,
  prepareRestore,
  type RestoreDeps,
  type RestoreRecord,
  type RestoreShardRecord,
  restoreKey,
  type StartRestoreOptions,
  sealJournal,
  startRestore,
  workPartition,
  writeShard,
} from '../../../shared/restore/index.ts';
import type { CrashingMachine } from '../faults/restore-machine.ts';
import { type Fields, newReadingWorld, type ReadingWorld } from './archive-env.ts';
import { destinationId, projectId, server, table, tenant } from './backup-env.ts';

export { type Fields, put, recordOf as backupOf, takeBackup } from './archive-env.ts';
export { destinationId, eventsOf, organizationNow, projectId, server, table, tenant } from './backup-env.ts';

// Without this the test process would not exit.
afterAll(() => server.stop());

/** The other project of the organization; `projectId` is the backed-up one. */
export const targetId = newId('project');

export interface RestoreEnv extends ReadingWorld {
  readonly engine: RestoreDeps;
  /** The database of `targetId`; `sourceProjectId` is that of the backup. */
  readonly targetProjectId: string;
  /** Injects crashes into the calls to the target and the stores. */
  machine: CrashingMachine | undefined;
}

/** An empty source, an empty target, an empty table and no objects. */
export const createRestoreEnv = (): RestoreEnv => {
  const reading = newReadingWorld();
  const { openStore } = reading.engine;
  const targetProjectId = `${reading.sourceProjectId}-target`;
  table.put(targetOf(targetProjectId));
  const engine: RestoreDeps = {
    ...reading.engine,
    clock: { now: () => new Date(world.nowMs()) },
    readAuthUsers: async function* () {
      yield* world.users;
    },
    random: () => 0.5,
    openSource: (_tenant, project) => {
      const options = {
        endpoint: server.url,
        projectId: project.sourceProjectId,
        token: () => world.token(),
        random: () => 0.5,
        sleep: async () => undefined,
      };
      return world.machine ? world.machine.source(options) : new FirestoreDatabase(options);
    },
    openToolkit: (_tenant, { sourceProjectId }) => ({ endpoint: server.url, sourceProjectId, token: () => world.token() }),
    openStore: async (...all) => {
      const store = await openStore(...all);
      return world.machine ? world.machine.store(store) : store;
    },
  };
  const world: RestoreEnv = Object.assign(reading, { engine, targetProjectId, machine: undefined });
  return world;
};

const targetOf = (sourceProjectId: string): ProjectRecord => ({
  ...table.get<ProjectRecord>(projectKey.project(tenant, projectId))!,
  ...projectKey.project(tenant, targetId),
  id: targetId,
  name: 'Copy of the shop',
  sourceProjectId,
});

const databaseOf = (world: RestoreEnv, of: 'source' | 'target') => ({
  projectId: of === 'source' ? world.sourceProjectId : world.targetProjectId,
  databaseId: '(default)',
});

/** Writes documents into the target by path, uncounted; undefined deletes one. */
export const putTarget = async (
  world: RestoreEnv,
  documents: Readonly<Record<string, Fields | undefined>>,
  of: 'source' | 'target' = 'target',
): Promise<void> => {
  const database = databaseOf(world, of);
  const root = `projects/${database.projectId}/databases/(default)/documents`;
  const writes = Object.entries(documents).map(([path, fields]) => {
    const name = `${root}/${path}`;
    if (!fields) return parseWrite(proto.Write.encode({ delete: name }), database);
    const encoded = new Map(Object.entries(fields).map(([field, value]) => [field, proto.Value.encode(value)]));
    return parseWrite(proto.Write.encode({ update: proto.Document.encode({ name, fields: encoded }) }), database);
  });
  for (let n = 0; n < writes.length; n += 500) await commitWrites(server.databases.open(database), writes.slice(n, n + 500));
};

/** The documents of a database by path: encoded, with their times, in hexadecimal. */
export const documentsIn = (world: RestoreEnv, of: 'source' | 'target' = 'target'): ReadonlyMap<string, string> => {
  const database = server.databases.open(databaseOf(world, of));
  const all = [...database.scan('', lastKey, database.readTime())];
  return new Map(all.map(({ path, bytes }) => [path, Buffer.from(bytes).toString('hex')]));
};

/** Like `documentsIn`, without names and times, to compare two databases. */
export const fieldsOf = (world: RestoreEnv, of: 'source' | 'target' = 'target'): ReadonlyMap<string, string> =>
  new Map([...documentsIn(world, of)].map(([path, hex]) => [path, bareFields(Buffer.from(hex, 'hex'))]));

export const bareFields = (bytes: Buffer): string => {
  const { fields } = proto.Document.decode(bytes);
  const sorted = [...(fields ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted.map(([field, value]) => [field, Buffer.from(value).toString('hex')]));
};

/** Write requests to any database since the last reset. */
export const writesSent = (): number => (server.faults.calls.BatchWrite ?? 0) + (server.faults.calls.Commit ?? 0);

export interface RestoreInput {
  /** The other project by default. */
  readonly targetProjectId?: string;
  readonly mergeMode?: RestoreRecord['mergeMode'];
  readonly collections?: readonly string[];
  /** Paths, ascending. */
  readonly documents?: readonly string[];
  readonly includeSubcollections?: boolean;
  readonly includeAuthUsers?: boolean;
  readonly safetyBackup?: boolean;
  readonly dryRun?: boolean;
  readonly maxWritesPerSecond?: number;
  readonly undoOf?: string;
}

/** Like POST /backups/restore; returns the id of the restore. */
export const startTestRestore = async (world: RestoreEnv, backup: BackupRecord, input: RestoreInput = {}): Promise<string> => {
  const { targetProjectId = targetId, documents, ...more } = input;
  const context = {
    tenant,
    backup,
    project: table.get<ProjectRecord>(projectKey.project(tenant, backup.projectId)),
    target: table.get<ProjectRecord>(projectKey.project(tenant, targetProjectId))!,
    destination: table.get<DestinationRecord>(organizationKey.storageDestination(tenant, destinationId))!,
    encryption: { mode: 'kms', keyId: 'key' } as const,
  };
  const options: StartRestoreOptions = {
    mergeMode: 'overwrite',
    dryRun: false,
    collections: ['*'],
    includeSubcollections: true,
    includeAuthUsers: false,
    safetyBackup: true,
    createdBy: { type: 'user', id: newId('user') },
    ...more,
    ...(documents && { documents: { paths: documents, given: documents.map((path) => [path, [path]] as const) } }),
  };
  const { restore: started, writes } = startRestore(context, options, world.engine.clock.now());
  await commit(writes);
  return started.id;
};

export const restoreOf = (id: string): RestoreRecord => table.get<RestoreRecord>(restoreKey.restore(tenant, id))!;
export const shardsOf = (id: string): readonly RestoreShardRecord[] =>
  table.find(workPartition(tenant, id), 'SHARD#') as unknown as readonly RestoreShardRecord[];

/** Position of a workflow, from which it continues after a crash, like Step Functions. */
export interface Position {
  step: 'prepare' | 'check' | 'seal' | 'write' | 'finish' | 'end';
  shards: readonly number[];
  /** Remaining shards of the current step. */
  remaining: number[];
  readonly attempt: number;
}
export const atStart = (attempt = 1): Position => ({ step: 'prepare', shards: [], remaining: [], attempt });

/** The step failed permanently; the reason is on the record. */
export class RestoreFailedError extends Error {}

export interface RunOptions {
  readonly workSeconds?: number;
  /** Called before each run of a step. */
  readonly onStep?: (step: Position['step'], shard: number | undefined) => unknown;
  /** The last step to run; `finish` by default. */
  readonly upTo?: 'prepare' | 'check' | 'seal' | 'write';
}

/** Runs every step once, shard by shard. Rethrows errors; the position then shows where to continue. */
export const resumeWorkflow = async (
  world: RestoreEnv,
  id: string,
  position: Position,
  { workSeconds = 600, onStep, upTo }: RunOptions = {},
): Promise<void> => {
  const { engine } = world;
  const { attempt } = position;
  const step = async <T>(work: () => Promise<T>, shard?: number): Promise<T> => {
    await onStep?.(position.step, shard);
    const answer = await answerStep({ tenant, restoreJobId: id, attempt }, async () => ({ value: await work() }));
    if (!answer) throw new RestoreFailedError(JSON.stringify(restoreOf(id)?.failure));
    return answer.value;
  };
  const everyShard = async (run: (shard: number, handOver: Date) => Promise<boolean>): Promise<void> => {
    for (let shard = position.remaining[0]; shard !== undefined; shard = position.remaining[0]) {
      const number = shard;
      while (!(await step(() => run(number, after(engine.clock.now(), workSeconds)), number)));
      position.remaining.shift();
    }
  };
  const go = (next: Position['step']): void => Object.assign(position, { step: next, remaining: [...position.shards] }) as never;
  if (position.step === 'prepare') {
    position.shards = (await step(() => prepareRestore({ tenant, restoreJobId: id, attempt }, engine))).shards;
    go('check');
    if (upTo === 'prepare') return;
  }
  if (position.step === 'check') {
    await everyShard((shard, handOver) => checkShard({ tenant, restoreJobId: id, attempt, shard, handOver }, engine));
    go('seal');
    if (upTo === 'check') return;
  }
  if (position.step === 'seal') {
    const { writes } = await step(() => sealJournal({ tenant, restoreJobId: id, attempt }, engine));
    go(writes ? 'write' : 'finish');
    if (upTo === 'seal') return;
  }
  if (position.step === 'write') {
    await everyShard((shard, handOver) => writeShard({ tenant, restoreJobId: id, attempt, shard, handOver }, engine));
    go('finish');
    if (upTo === 'write') return;
  }
  if (position.step === 'finish') await step(() => finishRestore({ tenant, restoreJobId: id, attempt }, engine));
  position.step = 'end';
};

/** Like the workflow of infra/workflow/restore.ts, without its waits. */
export const runRestore = async (
  world: RestoreEnv,
  id: string,
  options: RunOptions & { readonly triesMax?: number } = {},
): Promise<RestoreRecord> => {
  const position = atStart(restoreOf(id).attempt);
  for (let tries = 1; position.step !== 'end'; tries++) {
    try {
      await resumeWorkflow(world, id, position, options);
      if (options.upTo) break;
    } catch (error) {
      if (!(error instanceof RestoreFailedError) && tries < (options.triesMax ?? 7)) continue;
      const name = error instanceof RestoreFailedError ? 'JobFailed' : (error as Error).name;
      const { attempt } = position;
      const { clock, sleep } = world.engine;
      await failRestore({
        tenant,
        restoreJobId: id,
        attempt,
        reasonOf: (restore) => failureReason(restore, { Error: name }),
        now: clock.now(),
        sleep,
      });
      await cleanUpRestore(tenant, id, world.engine, { attempt });
      break;
    }
  }
  return restoreOf(id);
};

/** Starts a restore and runs it to its end. */
export const restore = async (world: RestoreEnv, backup: BackupRecord, input: RestoreInput = {}): Promise<RestoreRecord> =>
  runRestore(world, await startTestRestore(world, backup, input));

export interface JournalEntry {
  readonly kind: 'document' | 'user' | 'tombstone';
  /** The exact bytes; empty for a tombstone. */
  readonly content: string;
}

/** The journal of a restore by path, read only with its objects, key and digest. */
export const journalOf = async (world: RestoreEnv, id: string): Promise<ReadonlyMap<string, JournalEntry>> => {
  const { journal, targetProjectId } = restoreOf(id);
  return entriesOf(world, {
    identity: { organization: tenant.organizationId, project: targetProjectId, backup: journal.backupId },
    path: journal.path,
    keyFile: journal.keyFile!,
    digest: journal.manifestDigest,
  });
};

const entriesOf = async (
  world: RestoreEnv,
  wanted: { identity: BackupRecord['archive']; path: string; keyFile: Uint8Array; digest: string | undefined },
): Promise<ReadonlyMap<string, JournalEntry>> => {
  const store: ObjectStore = world.stores.get(wanted.path)!;
  const { dataKey } = await world.engine.unlockKeyFile(tenant, wanted.keyFile, wanted.identity);
  const manifest = await openManifest(await store.get('manifest'), { ...wanted, dataKey });
  const fetch = async ({ name }: { name: string }, offset: number, length: number) => store.get(name, { offset, length });
  const archive = new Archive(manifest, { fetch, dataKey: () => dataKey });
  const entries = new Map<string, JournalEntry>();
  const kinds = { [recordKind.document]: 'document', [recordKind.user]: 'user', [recordKind.tombstone]: 'tombstone' } as const;
  for await (const segment of archive.segments()) {
    const leaf = await archive.leaf(segment);
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      const kind = kinds[leaf.kind(slot)];
      const content = kind === 'tombstone' ? '' : leaf.content(slot).toString(kind === 'user' ? 'utf8' : 'hex');
      const name = leaf.name(slot).toString();
      entries.set(name.startsWith(`${manifest.source}/documents/`) ? name.slice(manifest.source.length + 11) : name, {
        kind,
        content,
      });
    }
  }
  return entries;
};

export const folderOf = (world: RestoreEnv, path: string): MemoryStore => world.stores.get(path)!;
