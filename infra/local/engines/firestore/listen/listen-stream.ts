import { documentName, parseDatabaseName } from '../base/document-name.ts';
import { awaited, Pending } from '../base/pending.ts';
import { type CallContext, type DocumentChange, type Method, type Micros, RpcError } from '../base/types.ts';
import { decodeRequest, microsOf, proto } from '../proto/codecs.ts';
import type { ListenRequest, Target } from '../proto/query-messages.ts';
import type { StoredDatabase } from '../storage/database.ts';
import type { Databases } from '../storage/databases.ts';
import { current, documentMessage, existenceFilter, marker, refused, targetChange } from './messages.ts';
import { resumeTime } from './resume-token.ts';
import { StreamQueue } from './stream-queue.ts';
import { type View, type ViewChange, viewOf } from './target-view.ts';

/** Interval of heartbeats on a quiet stream. */
const heartbeatMillis = 30_000;
const batchMessages = 128;

/** A target and the time of its initial results: queued commits up to that time are included. */
interface Seeing {
  readonly view: View;
  readonly since: Micros;
}

type Work =
  | { readonly kind: 'request'; readonly request: ListenRequest }
  | { readonly kind: 'commit'; readonly time: Micros; readonly changes: readonly DocumentChange[] }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Listen: each target gets its initial results, CURRENT, and then every relevant commit, each followed by a consistent time. */
export const listen = (databases: Databases, heartbeat: number = heartbeatMillis): Method => ({
  kind: 'bidi',
  run: (requests, call) => serve(databases, { requests, call, heartbeat }),
});

async function* serve(
  databases: Databases,
  {
    requests,
    call,
    heartbeat,
  }: { readonly requests: AsyncIterable<Uint8Array>; readonly call: CallContext; readonly heartbeat: number },
): AsyncGenerator<readonly Uint8Array[]> {
  const inbox = new StreamQueue<Work>();
  const targets = new Map<number, Seeing>();
  const ids = new TargetIds();
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
        // Queued work would be answered as of a later time, so this commit goes first.
        unsubscribe ??= database.subscribe((time, changes) =>
          inbox.putBefore({ kind: 'commit', time, changes }, ({ kind }) => kind !== 'commit'),
        );
        yield* awaited(answer(work.request, { database, targets, ids }));
      } else if (work.kind === 'commit') yield* awaited(tellCommit(work.time, { changes: work.changes, database, targets }));
      else if (database && targets.size > 0) yield [marker(database.readTime())];
    }
  } finally {
    clearInterval(timer);
    unsubscribe?.();
    call.signal.removeEventListener('abort', end);
  }
}

const readInto = async (inbox: StreamQueue<Work>, requests: AsyncIterable<Uint8Array>): Promise<void> => {
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
  {
    database,
    targets,
    ids,
  }: { readonly database: StoredDatabase; readonly targets: Map<number, Seeing>; readonly ids: TargetIds },
): Generator<readonly Uint8Array[] | Pending> {
  if (request.removeTarget !== undefined) {
    targets.delete(request.removeTarget);
    yield [targetChange('REMOVE', [request.removeTarget])];
    return;
  }
  const target = request.addTarget;
  if (!target) throw new RpcError('INVALID_ARGUMENT', 'target_change is required.');
  const id = ids.of(target.targetId);
  let view: View;
  let after: Micros | undefined;
  try {
    if (targets.has(id)) throw new RpcError('ALREADY_EXISTS', `Target ID already exists: ${id}`);
    after = resumePoint(target);
    view = viewOf(target, database);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    targets.delete(id);
    yield [refused(id, error)];
    return;
  }
  const at = database.readTime();
  targets.set(id, { view, since: at });
  yield [targetChange('ADD', [id])];
  if (after === undefined) yield* inBatches(billedTogether(view.initial(at), database), { id, database, at });
  else {
    // Like the service, first confirms the resume position. With other targets on the stream that time is already past.
    if (targets.size === 1 && after <= at) yield [marker(after)];
    yield* resumed(target, { id, after, view, database, at });
  }
  yield [current(id, at), marker(at)];
  if (!target.once) return;
  targets.delete(id);
  yield [targetChange('REMOVE', [id])];
}

/** The changes since a token. A token beyond the retention starts over with RESET. */
function* resumed(
  target: Target,
  {
    id,
    after,
    view,
    database,
    at,
  }: { readonly id: number; readonly after: Micros; readonly view: View; readonly database: StoredDatabase; readonly at: Micros },
): Generator<readonly Uint8Array[] | Pending> {
  if (after > at || !isReadable(database, after)) {
    yield [targetChange('RESET', [id])];
    yield* inBatches(billedTogether(view.initial(at), database), { id, database, at });
    return;
  }
  const changed = view.since(after, at);
  if (at - after > billedAgainMicros) {
    for (const one of billedTogether(view.initial(at), database)) if (one instanceof Pending) yield one;
    yield* inBatches(changed, { id, database, at });
  } else yield* inBatches(billedTogether(changed, database), { id, database, at });
  // Lets a client that lost count notice. Deletions are always known here, so the count is exact.
  const paths = target.expectedCount === undefined ? undefined : ([] as string[]);
  let count = 0;
  for (const document of view.matching(at))
    if (document instanceof Pending) yield document;
    else {
      count += 1;
      paths?.push(document.path);
    }
  yield [existenceFilter(id, { count, names: paths?.map((path) => documentName(database, path)) })];
}

const resumePoint = (target: Target): Micros | undefined => {
  if (!target.resumeToken?.length) return target.readTime && microsOf(target.readTime);
  const time = resumeTime(target.resumeToken);
  if (time === undefined) throw new RpcError('INVALID_ARGUMENT', 'bad resume token');
  return time;
};

const isReadable = (database: StoredDatabase, at: Micros): boolean => {
  try {
    database.checkReadTime(at);
    return true;
  } catch {
    return false;
  }
};

/** A listener that was away for longer is billed like a new query. */
const billedAgainMicros = 30 * 60 * 1_000_000;

/** The first results of a listener, or what it missed, billed like a query: at least one read. */
function* billedTogether(results: Iterable<ViewChange | Pending>, database: StoredDatabase): Generator<ViewChange | Pending> {
  let [documents, bytes] = [0, 0];
  try {
    for (const one of results) {
      if (isBilled(one)) {
        documents += 1;
        bytes += one.document.bytes.length;
      }
      yield one;
    }
  } finally {
    database.meter.scan('listen', documents, bytes);
  }
}

/** Documents that were changed, or left the results because of a change. A deletion is free. */
const isBilled = (one: ViewChange | Pending): one is Extract<ViewChange, { document: unknown }> =>
  !(one instanceof Pending) && (one.kind === 'changed' || one.kind === 'unmatched');

function* billedEach(changes: Iterable<ViewChange | Pending>, database: StoredDatabase): Generator<ViewChange | Pending> {
  for (const one of changes) {
    if (isBilled(one)) database.meter.each('listen', one.document.bytes.length);
    yield one;
  }
}

function* inBatches(
  change: Iterable<ViewChange | Pending>,
  { id, database, at }: { readonly id: number; readonly database: StoredDatabase; readonly at: Micros },
): Generator<readonly Uint8Array[] | Pending> {
  let batch: Uint8Array[] = [];
  for (const one of change) {
    if (one instanceof Pending) {
      yield one;
      continue;
    }
    batch.push(documentMessage(one, { id, database, at }));
    if (batch.length < batchMessages) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function* tellCommit(
  time: Micros,
  {
    changes,
    database,
    targets,
  }: {
    readonly changes: readonly DocumentChange[];
    readonly database: StoredDatabase | undefined;
    readonly targets: ReadonlyMap<number, Seeing>;
  },
): Generator<readonly Uint8Array[] | Pending> {
  if (!database) return;
  let isTold = false;
  for (const [id, { view, since }] of targets) {
    if (time <= since) continue;
    for (const batch of inBatches(billedEach(view.changed(changes, time), database), { id, database, at: time })) {
      isTold ||= !(batch instanceof Pending);
      yield batch;
    }
  }
  if (isTold) yield [marker(time)];
}

/** The target ids of a stream: assigned by the client, or by the server for a client that sends 0. */
class TargetIds {
  #assigned = 0;

  of(asked: number): number {
    if (asked < 0) throw new RpcError('INVALID_ARGUMENT', 'Target id must not be negative.');
    if (asked === 0) return ++this.#assigned;
    if (this.#assigned > 0) throw new RpcError('INVALID_ARGUMENT', 'Target ids are either all given or all assigned.');
    return asked;
  }
}
