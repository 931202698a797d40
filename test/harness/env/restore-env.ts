/** Two databases, a store for every folder and a backup made by the real engine: every step of a restore as the workflow runs it. */
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
  finishRestore,
  prepareRestore,
  type RestoreEngine,
  type RestoreRecord,
  type RestoreShardRecord,
  reasonFor,
  restoreKey,
  restoreWork,
  type StartRestoreOptions,
  sealJournal,
  startRestore,
  writeShard,
} from '../../../shared/restore/index.ts';
import type { Machine } from '../faults/restore-machine.ts';
import { type Fields, newReadingWorld, type ReadingWorld } from './archive-env.ts';
import { destinationId, projectId, server, table, tenant } from './backup-env.ts';

export { type Fields, put, recordOf as backupOf, takeBackup } from './archive-env.ts';
export { destinationId, eventsOf, organizationNow, projectId, server, table, tenant } from './backup-env.ts';

// Whoever has tested with it is through: without this the process would wait for ever.
afterAll(() => server.stop());

/** The other project of the organization; `projectId` is the one that was backed up. */
export const targetId = newId('project');

export interface RestoreWorld extends ReadingWorld {
  readonly engine: RestoreEngine;
  /** The database of `targetId`; `sourceProjectId` is that of the backup. */
  readonly targetProjectId: string;
  /** What a target is reached through: faults of the machine go here. */
  machine: Machine | undefined;
}

/** An empty source, an empty target, an empty table and no objects. */
export const newRestoreWorld = (): RestoreWorld => {
  const reading = newReadingWorld();
  const { openStore } = reading.engine;
  const targetProjectId = `${reading.sourceProjectId}-target`;
  table.put(targetOf(targetProjectId));
  const engine: RestoreEngine = {
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
  const world: RestoreWorld = Object.assign(reading, { engine, targetProjectId, machine: undefined });
  return world;
};

const targetOf = (sourceProjectId: string): ProjectRecord => ({
  ...table.get<ProjectRecord>(projectKey.project(tenant, projectId))!,
  ...projectKey.project(tenant, targetId),
  id: targetId,
  name: 'Copy of the shop',
  sourceProjectId,
});

const databaseOf = (world: RestoreWorld, of: 'source' | 'target') => ({
  projectId: of === 'source' ? world.sourceProjectId : world.targetProjectId,
  databaseId: '(default)',
});

/** Writes documents into the target by their paths, beside all that is counted; undefined removes one. */
export const putTarget = async (
  world: RestoreWorld,
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

/** What a database holds now, by path: the encoded document, with its times, as hexadecimal text. */
export const liveOf = (world: RestoreWorld, of: 'source' | 'target' = 'target'): ReadonlyMap<string, string> => {
  const database = server.databases.open(databaseOf(world, of));
  const all = [...database.scan('', lastKey, database.readTime())];
  return new Map(all.map(({ path, bytes }) => [path, Buffer.from(bytes).toString('hex')]));
};

/** The same without names and times: what two databases, or one before and after, can be compared by. */
export const fieldsOf = (world: RestoreWorld, of: 'source' | 'target' = 'target'): ReadonlyMap<string, string> =>
  new Map([...liveOf(world, of)].map(([path, hex]) => [path, bareFields(Buffer.from(hex, 'hex'))]));

export const bareFields = (bytes: Buffer): string => {
  const { fields } = proto.Document.decode(bytes);
  const sorted = [...(fields ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted.map(([field, value]) => [field, Buffer.from(value).toString('hex')]));
};

/** Requests to write that reached any database since the last reset. */
export const writesSent = (): number => (server.faults.calls.BatchWrite ?? 0) + (server.faults.calls.Commit ?? 0);

export interface RestoreAsk {
  /** The other project unless said. */
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

/** As POST /backups/restore does it; answers the id of the job. */
export const beginRestore = async (world: RestoreWorld, backup: BackupRecord, ask: RestoreAsk = {}): Promise<string> => {
  const { targetProjectId = targetId, documents, ...more } = ask;
  const place = {
    tenant,
    backup,
    project: table.get<ProjectRecord>(projectKey.project(tenant, backup.projectId)),
    target: table.get<ProjectRecord>(projectKey.project(tenant, targetProjectId))!,
    destination: table.get<DestinationRecord>(organizationKey.storageDestination(tenant, destinationId))!,
    encryption: { mode: 'kms', keyId: 'key' } as const,
  };
  const wish: StartRestoreOptions = {
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
  const { restore: begun, writes } = startRestore(place, wish, world.engine.clock.now());
  await commit(writes);
  return begun.id;
};

export const restoreOf = (id: string): RestoreRecord => table.get<RestoreRecord>(restoreKey.restore(tenant, id))!;
export const shardsOf = (id: string): readonly RestoreShardRecord[] =>
  table.find(restoreWork(tenant, id), 'SHARD#') as unknown as readonly RestoreShardRecord[];

/** Where a workflow is: it goes on from here after a crash, as Step Functions does. */
export interface Position {
  step: 'prepare' | 'check' | 'seal' | 'write' | 'finish' | 'end';
  shards: readonly number[];
  /** Of the step that it is in. */
  left: number[];
  /** Each has a workflow of its own. */
  readonly attempt: number;
}
export const atStart = (attempt = 1): Position => ({ step: 'prepare', shards: [], left: [], attempt });

/** The reason stands on the record. */
export class Failed extends Error {}

export interface RunOptions {
  /** Time a worker has. */
  readonly workSeconds?: number;
  /** Called before each run of a step. */
  readonly onStep?: (step: Position['step'], shard: number | undefined) => unknown;
  /** The last step to run; `finish` unless said. */
  readonly upTo?: 'prepare' | 'check' | 'seal' | 'write';
}

/**
 * One shard after the other and every step once; whatever a step throws is thrown, and the position says where to go on. What
 * has failed for good throws Failed.
 */
export const runFrom = async (
  world: RestoreWorld,
  id: string,
  position: Position,
  { workSeconds = 600, onStep, upTo }: RunOptions = {},
): Promise<void> => {
  const { engine } = world;
  const { attempt } = position;
  const step = async <T>(work: () => Promise<T>, shard?: number): Promise<T> => {
    await onStep?.(position.step, shard);
    const answer = await answerStep(tenant, id, async () => ({ value: await work() }), attempt);
    if (!answer) throw new Failed(JSON.stringify(restoreOf(id)?.failure));
    return answer.value;
  };
  const everyShard = async (run: (shard: number, handOver: Date) => Promise<boolean>): Promise<void> => {
    for (let shard = position.left[0]; shard !== undefined; shard = position.left[0]) {
      const number = shard;
      while (!(await step(() => run(number, after(engine.clock.now(), workSeconds)), number)));
      position.left.shift();
    }
  };
  const go = (next: Position['step']): void => Object.assign(position, { step: next, left: [...position.shards] }) as never;
  if (position.step === 'prepare') {
    position.shards = (await step(() => prepareRestore(tenant, id, engine, attempt))).shards;
    go('check');
    if (upTo === 'prepare') return;
  }
  if (position.step === 'check') {
    await everyShard((shard, handOver) => checkShard(tenant, id, shard, handOver, engine, attempt));
    go('seal');
    if (upTo === 'check') return;
  }
  if (position.step === 'seal') {
    const { writes } = await step(() => sealJournal(tenant, id, engine, attempt));
    go(writes ? 'write' : 'finish');
    if (upTo === 'seal') return;
  }
  if (position.step === 'write') {
    await everyShard((shard, handOver) => writeShard(tenant, id, shard, handOver, engine, attempt));
    go('finish');
    if (upTo === 'write') return;
  }
  if (position.step === 'finish') await step(() => finishRestore(tenant, id, engine, attempt));
  position.step = 'end';
};

/** The workflow: infra/workflow/restore.ts, without its waits. */
export const runRestore = async (
  world: RestoreWorld,
  id: string,
  options: RunOptions & { readonly triesMax?: number } = {},
): Promise<RestoreRecord> => {
  const position = atStart(restoreOf(id).attempt);
  for (let tries = 1; position.step !== 'end'; tries++) {
    try {
      await runFrom(world, id, position, options);
      if (options.upTo) break;
    } catch (error) {
      if (!(error instanceof Failed) && tries < (options.triesMax ?? 7)) continue;
      const name = error instanceof Failed ? 'JobFailed' : (error as Error).name;
      const { attempt } = position;
      const { clock, sleep } = world.engine;
      await failRestore(tenant, id, (restore) => reasonFor(restore, { Error: name }), clock.now(), attempt, sleep);
      await cleanUpRestore(tenant, id, world.engine, { attempt });
      break;
    }
  }
  return restoreOf(id);
};

/** From what was asked to how it ended. */
export const restore = async (world: RestoreWorld, backup: BackupRecord, ask: RestoreAsk = {}): Promise<RestoreRecord> =>
  runRestore(world, await beginRestore(world, backup, ask));

export interface JournalEntry {
  readonly kind: 'document' | 'user' | 'tombstone';
  /** The very bytes; empty for a tombstone. */
  readonly content: string;
}

/** What the journal of a restore holds, by nothing but its objects, its key and its digest: path below the database and bytes. */
export const journalOf = async (world: RestoreWorld, id: string): Promise<ReadonlyMap<string, JournalEntry>> => {
  const { journal, targetProjectId } = restoreOf(id);
  return entriesOf(world, {
    identity: { organization: tenant.organizationId, project: targetProjectId, backup: journal.backupId },
    path: journal.path,
    keyFile: journal.keyFile!,
    digest: journal.manifestDigest,
  });
};

const entriesOf = async (
  world: RestoreWorld,
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

/** The objects of a folder. */
export const folderOf = (world: RestoreWorld, path: string): MemoryStore => world.stores.get(path)!;
