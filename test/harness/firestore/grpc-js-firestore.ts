/** An independent in-memory Firestore server: `@grpc/grpc-js` with the protos of the official client. */
import {
  type ChannelOptions,
  type Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { type Talking, TargetSet } from './grpc-js-listen.ts';
import {
  definition,
  encodeDocument,
  type Filter,
  microsOf,
  type Query,
  type Request,
  root,
  timeOf,
  type Write,
} from './grpc-js-service.ts';

type Reading = ServerWritableStream<Request, object>;

interface Version {
  readonly at: number;
  readonly fields: object | undefined;
}

interface Hooks {
  /** Called before each message of a RunQuery; `sent` counts those of this call. */
  beforeMessage?: ((sent: number) => unknown) | undefined;
  /** Replaces the response; undefined responds as usual. */
  refuse?: ((method: string, call: { readonly metadata: Metadata }) => Refusal | undefined) | undefined;
}
interface Refusal {
  readonly code: number;
  readonly details: string;
  readonly metadata?: Metadata;
}

export class GrpcJsFirestore {
  readonly hooks: Hooks = {};
  /** Calls by method. */
  readonly calls = new Map<string, number>();
  /** Peers seen, one per connection. */
  readonly peers = new Set<string>();
  readonly port: number;
  readonly #server: Server;
  readonly #documents = new Map<string, Version[]>();
  readonly #listeners = new Set<TargetSet>();
  #now = 1_700_000_000_000_000;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async start(options: ChannelOptions = {}): Promise<GrpcJsFirestore> {
    const server = new Server(options);
    const handlers: Record<string, unknown> = {};
    let made: GrpcJsFirestore | undefined;
    for (const method of ['RunQuery', 'BatchGetDocuments', 'RunAggregationQuery'] as const)
      handlers[method] = (call: Reading) => made?.answer(method, call);
    for (const method of ['ListCollectionIds', 'PartitionQuery', 'BatchWrite'] as const)
      handlers[method] = (call: ServerUnaryCall<Request, object>, reply: sendUnaryData<object>) =>
        made?.reply(method, call, reply);
    handlers.Listen = (call: Talking) => made?.listen(call);
    server.addService(definition(), handlers as never);
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    made = new GrpcJsFirestore(server, port);
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Open Listen streams. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** The current time as a read time. */
  get readTime(): string {
    const micros = this.#now;
    return `${new Date(Math.floor(micros / 1e6) * 1_000).toISOString().slice(0, -5)}.${String(micros % 1e6).padStart(6, '0')}Z`;
  }

  /** Sends GOAWAY on every connection and cuts it after the grace period; new connections are accepted. */
  drain(graceMs: number): void {
    this.#server.drain(`127.0.0.1:${this.port}`, graceMs);
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  /** Writes documents at one time; no fields means delete. Returns that time in microseconds. */
  write(documents: Iterable<readonly [path: string, fields: object | undefined]>): number {
    this.#now += 1_000;
    const paths: string[] = [];
    for (const [path, fields] of documents) {
      const versions = this.#documents.get(path) ?? [];
      this.#documents.set(path, versions);
      versions.push({ at: this.#now, fields });
      paths.push(path);
    }
    for (const listener of this.#listeners) listener.tell(paths);
    return this.#now;
  }

  /** The paths of all existing documents in name order. */
  paths(at = this.#now): readonly string[] {
    return [...this.#documents.keys()].filter((path) => this.#at(path, at)?.fields).sort(byName);
  }

  document(path: string): object | undefined {
    return this.#at(path, this.#now)?.fields;
  }

  /** The expected result of a complete read: path and encoded bytes in name order. */
  contents(at = this.#now): readonly (readonly [string, string])[] {
    return this.paths(at).map((path) => [path, encodeDocument(this.#encodable(path, at) ?? {}).toString('hex')]);
  }

  async answer(method: 'RunQuery' | 'BatchGetDocuments' | 'RunAggregationQuery', call: Reading): Promise<void> {
    const refusal = this.#called(method, call);
    if (refusal) return void call.emit('error', refusal);
    const ended = new Promise<void>((done) => call.once('cancelled', done));
    const { request } = call;
    const at = request.readTime ? microsOf(request.readTime) : this.#now;
    let sent = 0;
    for (const message of this.#messages(method, request, at)) {
      if (method === 'RunQuery') await this.hooks.beforeMessage?.(sent);
      if (call.cancelled) return;
      const hasRoom = call.write(message);
      sent += 1;
      if (!hasRoom) await Promise.race([ended, new Promise((done) => call.once('drain', done))]);
    }
    call.end();
  }

  reply(
    method: 'ListCollectionIds' | 'PartitionQuery' | 'BatchWrite',
    call: ServerUnaryCall<Request, object>,
    reply: sendUnaryData<object>,
  ): void {
    const refusal = this.#called(method, call);
    if (refusal) reply(refusal as never);
    else if (method === 'BatchWrite') reply(null, this.#batchWrite(call.request.writes ?? []));
    else reply(null, method === 'ListCollectionIds' ? this.#collectionIds(call.request) : this.#partitions(call.request));
  }

  listen(call: Talking): void {
    const refusal = this.#called('Listen', call);
    if (refusal) return void call.emit('error', refusal);
    const targets = new TargetSet(call, {
      now: () => this.#now,
      since: (after) => [...this.#documents.keys()].filter((path) => (this.#at(path, this.#now)?.at ?? 0) > after).sort(byName),
      document: (path) => this.#encodable(path, this.#now),
    });
    this.#listeners.add(targets);
    const leave = (): void => void this.#listeners.delete(targets);
    call.on('data', (request: Request) => targets.ask(request));
    call.on('cancelled', leave);
    call.on('close', leave);
    call.on('error', leave);
    call.on('end', () => call.end());
  }

  #called(method: string, call: { readonly metadata: Metadata; getPeer(): string }): Refusal | undefined {
    this.calls.set(method, (this.calls.get(method) ?? 0) + 1);
    this.peers.add(call.getPeer());
    return this.hooks.refuse?.(method, call);
  }

  *#messages(method: 'RunQuery' | 'BatchGetDocuments' | 'RunAggregationQuery', request: Request, at: number): Generator<object> {
    const readTime = timeOf(at);
    if (method === 'BatchGetDocuments') {
      for (const name of request.documents ?? []) {
        const found = this.#encodable(name.slice(root.length + 1), at);
        yield found ? { found, readTime } : { missing: name, readTime };
      }
    } else if (method === 'RunAggregationQuery') {
      const count = this.#select(request.structuredAggregationQuery?.structuredQuery ?? {}, at).length;
      yield { result: { aggregateFields: { count: { integerValue: count } } }, readTime };
    } else {
      const paths = this.#select(request.structuredQuery ?? {}, at);
      for (const path of paths) yield { document: this.#encodable(path, at), readTime };
      if (paths.length === 0) yield { readTime };
    }
  }

  #select({ from, where }: Query, at: number): readonly string[] {
    const [{ collectionId, allDescendants } = {}] = from ?? [];
    return this.paths(at).filter((path) => {
      const segments = path.split('/');
      if (collectionId && segments.at(-2) !== collectionId) return false;
      return (allDescendants || segments.length === 2) && (!where || matches(path, where));
    });
  }

  #at(path: string, at: number): Version | undefined {
    return this.#documents.get(path)?.findLast((version) => version.at <= at);
  }

  #encodable(path: string, at: number): object | undefined {
    const version = this.#at(path, at);
    if (!version?.fields) return undefined;
    const created = this.#documents.get(path)?.[0]?.at ?? 0;
    return { name: `${root}/${path}`, fields: version.fields, createTime: timeOf(created), updateTime: timeOf(version.at) };
  }

  #collectionIds({ readTime }: Request): object {
    const paths = this.paths(readTime ? microsOf(readTime) : this.#now);
    return { collectionIds: [...new Set(paths.map((path) => path.split('/')[0] ?? ''))] };
  }

  #partitions({ structuredQuery = {}, readTime, partitionCount }: Request): object {
    const paths = this.#select(structuredQuery, readTime ? microsOf(readTime) : this.#now);
    const parts = Number(partitionCount) + 1;
    const cuts = Array.from({ length: parts - 1 }, (_, n) => paths[Math.floor(((n + 1) * paths.length) / parts)]);
    const names = [...new Set(cuts.filter((path) => path !== undefined))];
    return { partitions: names.map((path) => ({ values: [{ referenceValue: `${root}/${path}` }] })) };
  }

  #batchWrite(writes: readonly Write[]): object {
    const statuses = writes.map(({ update, delete: gone, currentDocument }) => {
      const path = (update?.name ?? gone ?? '').slice(root.length + 1);
      const isThere = this.document(path) !== undefined;
      if (currentDocument?.exists === false && isThere) return { code: status.ALREADY_EXISTS, message: 'exists' };
      this.write([[path, update?.fields]]);
      return { code: status.OK };
    });
    return { writeResults: writes.map(() => ({ updateTime: timeOf(this.#now) })), status: statuses };
  }
}

const byName = (a: string, b: string): number => {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let n = 0; n < Math.min(left.length, right.length); n++) {
    const order = Buffer.compare(Buffer.from(left[n] ?? ''), Buffer.from(right[n] ?? ''));
    if (order !== 0) return order;
  }
  return left.length - right.length;
};

const matches = (path: string, { compositeFilter, fieldFilter }: Filter): boolean => {
  if (compositeFilter) return compositeFilter.filters.every((filter) => matches(path, filter));
  if (!fieldFilter) return true;
  const order = byName(path, fieldFilter.value.referenceValue.slice(root.length + 1));
  if (fieldFilter.op === 'LESS_THAN') return order < 0;
  if (fieldFilter.op === 'GREATER_THAN') return order > 0;
  if (fieldFilter.op === 'GREATER_THAN_OR_EQUAL') return order >= 0;
  throw new Error(`the server has no operator ${fieldFilter.op}`);
};
