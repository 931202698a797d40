import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Bidi,
  type CallContext,
  type Message,
  type Method,
  type Methods,
  RpcError,
  type ServerStream,
  type Unary,
} from '../base/types.ts';
import { type FaultRule, projectOf } from './fault-rule.ts';
import { type Faults, invalidCredentials } from './faults.ts';
import { limitBatch, limitWrites, writeCountOf } from './write-quota.ts';

/** Throws to refuse a caller. The token is the part after `Bearer`. */
export type Authorize = (token: string | undefined, projectId: string, method: string) => void | Promise<void>;

/** Wraps methods with credentials, quotas and faults. */
export function guardMethods(methods: Methods, faults: Faults, authorize?: Authorize): Methods {
  const gate = new Gate(faults, authorize);
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, guarded(name, method, gate)]));
}

/** Counts and admits a call of another API on a database, such as `databases.get`; a fault can name its method. */
export const admit = async (
  method: string,
  {
    name,
    call,
    faults,
    authorize,
  }: {
    readonly name: string;
    readonly call: CallContext;
    readonly faults: Faults;
    readonly authorize: Authorize | undefined;
  },
): Promise<void> => {
  faults.count(method);
  const rule = await new Gate(faults, authorize).enter(method, Buffer.from(`${name}/`), call);
  if (rule?.status) throw new RpcError(rule.status, rule.message);
};

function guarded(name: string, method: Method, gate: Gate): Method {
  if (method.kind === 'unary') return { kind: 'unary', run: guardUnary(name, method.run, gate) };
  if (method.kind === 'bidi') return { kind: 'bidi', run: guardBidi(name, method.run, gate) };
  return { kind: 'server-stream', run: guardStream(name, method.run, gate) };
}

class Gate {
  readonly faults: Faults;
  readonly #authorize: Authorize | undefined;

  constructor(faults: Faults, authorize: Authorize | undefined) {
    this.faults = faults;
    this.#authorize = authorize;
  }

  get isOpen(): boolean {
    return !this.#authorize && !this.faults.isActive;
  }

  /** Admits a call or throws. Returns the rule that applies to it, if any. */
  async enter(name: string, request: Uint8Array, call: CallContext): Promise<FaultRule | undefined> {
    const project = projectOf(request);
    await this.#authorize?.(tokenOf(call), project, name);
    this.faults.checkCredentials(project);
    const rule = this.faults.strike(name, request);
    if (rule && rule.delayMs > 0) await pause(rule.delayMs, call);
    if (rule?.status && rule.when === 'before') throw new RpcError(rule.status, rule.message);
    return rule;
  }
}

/** The bearer token of a call. */
export function tokenOf(call: CallContext): string | undefined {
  const header = call.headers.authorization;
  if (header === undefined) return undefined;
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined) throw new RpcError('UNAUTHENTICATED', invalidCredentials);
  return token;
}

const pause = (ms: number, call: CallContext): Promise<void> =>
  sleep(ms, undefined, { signal: call.signal }).catch(() => {
    throw new RpcError('CANCELLED', 'The client cancelled the call.');
  });

function guardUnary(name: string, run: Unary, gate: Gate): Unary {
  return async (request, call) => {
    gate.faults.count(name);
    if (gate.isOpen) return run(request, call);
    const rule = await gate.enter(name, request, call);
    const quota = gate.faults.quotaOf(projectOf(request));
    let answer: Uint8Array;
    if (quota && name === 'BatchWrite') answer = await limitBatch(quota, request, (part) => run(part, call));
    else {
      if (quota) limitWrites(quota, writeCountOf(name, request));
      answer = await run(request, call);
    }
    if (rule?.status) throw new RpcError(rule.status, rule.message);
    return answer;
  };
}

function guardStream(name: string, run: ServerStream, gate: Gate): ServerStream {
  return (request, call) => {
    gate.faults.count(name);
    return gate.isOpen ? run(request, call) : struck(name, { request, run: () => run(request, call), gate, call });
  };
}

async function* struck(
  name: string,
  {
    request,
    run,
    gate,
    call,
  }: {
    readonly request: Uint8Array;
    readonly run: () => AsyncIterable<readonly Message[]> | Iterable<readonly Message[]>;
    readonly gate: Gate;
    readonly call: CallContext;
  },
): AsyncGenerator<readonly Message[]> {
  const rule = await gate.enter(name, request, call);
  if (rule) yield* spoiled(run(), rule, call);
  else yield* run();
}

/** Applies a rule to a stream: slows it down, cuts it short, or fails it at the end. */
async function* spoiled(
  source: AsyncIterable<readonly Message[]> | Iterable<readonly Message[]>,
  rule: FaultRule,
  call: CallContext,
): AsyncGenerator<readonly Message[]> {
  let remaining = rule.end?.afterMessages ?? Number.POSITIVE_INFINITY;
  const cut = () => {
    if (rule.end && rule.end.status !== 'OK') throw new RpcError(rule.end.status, rule.message);
  };
  if (remaining === 0) return cut();
  for await (const batch of source) {
    const part = batch.slice(0, remaining);
    remaining -= part.length;
    if (rule.pauseMs > 0) {
      for (const message of part) {
        await pause(rule.pauseMs, call);
        yield [message];
      }
    } else yield part;
    if (remaining === 0) return cut();
  }
  if (rule.status) throw new RpcError(rule.status, rule.message);
}

function guardBidi(name: string, run: Bidi, gate: Gate): Bidi {
  return async function* (requests, call) {
    gate.faults.count(name);
    const iterator = requests[Symbol.asyncIterator]();
    const first = await iterator.next();
    if (first.done) return;
    const all = rest(name, { first: first.value, later: iterator, gate });
    if (gate.isOpen) yield* run(all, call);
    else yield* struck(name, { request: first.value, run: () => run(all, call), gate, call });
  };
}

/** The first and all later messages; credentials and quotas apply to each. */
async function* rest(
  name: string,
  { first, later, gate }: { readonly first: Uint8Array; readonly later: AsyncIterator<Uint8Array>; readonly gate: Gate },
): AsyncGenerator<Uint8Array> {
  const project = projectOf(first);
  for (let message = first; ; ) {
    gate.faults.checkCredentials(project);
    const quota = gate.faults.quotaOf(project);
    if (quota) limitWrites(quota, writeCountOf(name, message));
    yield message;
    const next = await later.next();
    if (next.done) return;
    message = next.value;
  }
}
