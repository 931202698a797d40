import type { StoredDatabase } from '../database.ts';
import type { Databases } from '../databases.ts';
import { databaseName, parseDatabaseName } from '../name.ts';
import { type CallContext, type DocumentChange, type Method, type Micros, RpcError, status } from '../parts.ts';
import { decodeRequest, microsOf, proto, timestampOf } from '../proto.ts';
import type { ListenRequest, Target } from '../query-messages.ts';
import { Inbox } from './inbox.ts';
import { resumeTime, resumeToken } from './token.ts';
import { type Told, type View, viewOf } from './view.ts';

/** How often a quiet stream is told that nothing happened. */
const heartbeatMillis = 30_000;
const batchMessages = 128;

/** A target, and the time its first sight was of: older commits still waiting to be told are in it. */
interface Seeing {
  readonly view: View;
  readonly since: Micros;
}

type Work =
  | { readonly kind: 'request'; readonly request: ListenRequest }
  | { readonly kind: 'commit'; readonly time: Micros; readonly changes: readonly DocumentChange[] }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Listen: each target gets what it sees, CURRENT, and then every commit that concerns it, each closed by a consistent time. */
export const listen = (databases: Databases, heartbeat: number = heartbeatMillis): Method => ({
  kind: 'bidi',
  run: (requests, call) => serve(databases, requests, call, heartbeat),
});

async function* serve(
  databases: Databases,
  requests: AsyncIterable<Uint8Array>,
  call: CallContext,
  heartbeat: number,
): AsyncGenerator<readonly Uint8Array[]> {
  const inbox = new Inbox<Work>();
  const targets = new Map<number, Seeing>();
  let database: StoredDatabase | undefined;
  let unsubscribe: (() => void) | undefined;
  const timer = setInterval(() => inbox.put({ kind: 'heartbeat' }), heartbeat);
  const end = (): void => inbox.close();
  call.signal.addEventListener('abort', end);
  readInto(inbox, requests);
  try {
    for await (const work of inbox.take()) {
      if (call.signal.aborted) return;
      if (work.kind === 'failed') throw work.error;
      if (work.kind === 'request') {
        database ??= openDatabase(databases, work.request);
        unsubscribe ??= database.subscribe((time, changes) => inbox.put({ kind: 'commit', time, changes }));
        yield* answer(work.request, database, targets);
      } else if (work.kind === 'commit') yield* tellCommit(work.time, work.changes, database, targets);
      else if (database && targets.size > 0) yield [marker(database.readTime())];
    }
  } finally {
    clearInterval(timer);
    unsubscribe?.();
    call.signal.removeEventListener('abort', end);
  }
}

const readInto = async (inbox: Inbox<Work>, requests: AsyncIterable<Uint8Array>): Promise<void> => {
  try {
    for await (const bytes of requests) inbox.put({ kind: 'request', request: decodeRequest(proto.ListenRequest, bytes) });
    inbox.close();
  } catch (error) {
    inbox.put({ kind: 'failed', error });
  }
};

const openDatabase = (databases: Databases, request: ListenRequest): StoredDatabase =>
  databases.open(parseDatabaseName(request.database));

function* answer(
  request: ListenRequest,
  database: StoredDatabase,
  targets: Map<number, Seeing>,
): Generator<readonly Uint8Array[]> {
  if (request.removeTarget !== undefined) {
    targets.delete(request.removeTarget);
    yield [targetChange('REMOVE', [request.removeTarget])];
    return;
  }
  const target = request.addTarget;
  if (!target) throw new RpcError('INVALID_ARGUMENT', 'target_change is required.');
  const id = target.targetId;
  if (id <= 0) throw new RpcError('INVALID_ARGUMENT', 'Target id must be positive.');
  if (targets.has(id)) throw new RpcError('INVALID_ARGUMENT', `Target id ${id} is already in use.`);
  let view: View;
  try {
    view = viewOf(target, database);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    yield [targetChange('REMOVE', [id], { cause: { code: status[error.code], message: error.message } })];
    return;
  }
  const at = database.readTime();
  targets.set(id, { view, since: at });
  yield [targetChange('ADD', [id])];
  yield* firstSight(target, view, database, at);
  yield [targetChange('CURRENT', [id], { readTime: timestampOf(at), resumeToken: resumeToken(at) }), marker(at)];
  if (!target.once) return;
  targets.delete(id);
  yield [targetChange('REMOVE', [id])];
}

/** All a new target sees, or what it missed since its token. A token too old to compare with begins anew with RESET. */
function* firstSight(target: Target, view: View, database: StoredDatabase, at: Micros): Generator<readonly Uint8Array[]> {
  const id = target.targetId;
  const after = resumePoint(target);
  if (after === undefined) {
    yield* inBatches(view.initial(at), id, database, at);
    return;
  }
  if (after === 'unknown' || after > at || !isReadable(database, after)) {
    yield [targetChange('RESET', [id])];
    yield* inBatches(view.initial(at), id, database, at);
    return;
  }
  yield* inBatches(view.since(after, at), id, database, at);
  // Lets a client that lost count notice; ours can always tell deletions, so the count is true.
  yield [proto.ListenResponse.encode({ filter: { targetId: id, count: view.count(at) } })];
}

const resumePoint = (target: Target): Micros | 'unknown' | undefined => {
  if (target.resumeToken && target.resumeToken.length > 0) return resumeTime(target.resumeToken) ?? 'unknown';
  return target.readTime ? microsOf(target.readTime) : undefined;
};

const isReadable = (database: StoredDatabase, at: Micros): boolean => {
  try {
    database.checkReadTime(at);
    return true;
  } catch {
    return false;
  }
};

function* inBatches(told: Iterable<Told>, id: number, database: StoredDatabase, at: Micros): Generator<readonly Uint8Array[]> {
  let batch: Uint8Array[] = [];
  for (const one of told) {
    batch.push(message(one, [id], database, at));
    if (batch.length < batchMessages) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function* tellCommit(
  time: Micros,
  changes: readonly DocumentChange[],
  database: StoredDatabase | undefined,
  targets: ReadonlyMap<number, Seeing>,
): Generator<readonly Uint8Array[]> {
  if (!database) return;
  let isTold = false;
  for (const [id, { view, since }] of targets) {
    if (time <= since) continue;
    for (const batch of inBatches(view.changed(changes, time), id, database, time)) {
      isTold = true;
      yield batch;
    }
  }
  if (isTold) yield [marker(time)];
}

const message = (told: Told, ids: readonly number[], database: StoredDatabase, at: Micros): Uint8Array => {
  if (told.kind === 'changed')
    return proto.ListenResponse.encode({ documentChange: { document: told.document.bytes, targetIds: ids } });
  if (told.kind === 'left')
    return proto.ListenResponse.encode({ documentChange: { document: told.document.bytes, removedTargetIds: ids } });
  const gone = { document: `${databaseName(database)}/documents/${told.path}`, removedTargetIds: ids, readTime: timestampOf(at) };
  return proto.ListenResponse.encode(told.kind === 'deleted' ? { documentDelete: gone } : { documentRemove: gone });
};

/** Everything up to this time has been told, to every target. */
const marker = (at: Micros): Uint8Array =>
  targetChange('NO_CHANGE', [], { readTime: timestampOf(at), resumeToken: resumeToken(at) });

type TargetChange = NonNullable<Parameters<typeof proto.ListenResponse.encode>[0]['targetChange']>;

const targetChange = (
  targetChangeType: 'NO_CHANGE' | 'ADD' | 'REMOVE' | 'CURRENT' | 'RESET',
  targetIds: readonly number[],
  more: Omit<TargetChange, 'targetChangeType' | 'targetIds'> = {},
): Uint8Array => proto.ListenResponse.encode({ targetChange: { targetChangeType, targetIds, ...more } });
