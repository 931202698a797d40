import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type CallContext, type Message, type Method, type Methods, RpcError } from '../base/types.ts';
import { Unframer } from './frames.ts';
import { plainHeaders, rpcErrorOf, timeoutMs } from './headers.ts';
import { InboundStream } from './inbound-stream.ts';
import { Reply } from './reply.ts';

const service = '/google.firestore.v1.Firestore/';
const encodings = new Set(['identity', 'gzip', 'deflate']);

/** Answers one call. The stream always ends with a status, unless the client left. */
export function serveCall(
  stream: ServerHttp2Stream,
  { headers, methods, log }: { readonly headers: IncomingHttpHeaders; readonly methods: Methods; readonly log: Log },
): void {
  stream.on('error', () => {});
  if (headers[':method'] !== 'POST' || !headers['content-type']?.startsWith('application/grpc')) {
    stream.respond({ ':status': 415 }, { endStream: true });
    return;
  }
  const reply = new Reply(stream);
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  stream.once('close', () => {
    clearTimeout(timer);
    if (!reply.isFinished) controller.abort(new RpcError('CANCELLED', 'The client cancelled the call.'));
  });
  try {
    const method = methodOf(headers, methods);
    const timeout = headers['grpc-timeout'];
    if (typeof timeout === 'string') {
      timer = setTimeout(() => {
        const error = new RpcError('DEADLINE_EXCEEDED', 'Deadline exceeded');
        reply.fail(error);
        controller.abort(error);
      }, timeoutMs(timeout));
    }
    const unframer = new Unframer(String(headers['grpc-encoding'] ?? 'identity'));
    const call = { headers: plainHeaders(headers), signal: controller.signal };
    if (method.kind === 'bidi') serveBidi(method.run(new InboundStream(stream, unframer, reply), call), reply, log);
    else collect(stream, { unframer, reply, run: (request) => void serveOne(method, { request, call, reply, log }) });
  } catch (error) {
    reply.fail(rpcErrorOf(error));
  }
}

/** Receives internal errors. */
export type Log = (error: unknown) => void;

function methodOf(headers: IncomingHttpHeaders, methods: Methods): Method {
  const path = headers[':path'] ?? '';
  const name = path.startsWith(service) ? path.slice(service.length) : '';
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!method) {
    const host = headers[':authority'] ?? '';
    throw new RpcError('UNIMPLEMENTED', `The GRPC target is not implemented on the server, host: ${host}, method: ${path}.`);
  }
  const encoding = String(headers['grpc-encoding'] ?? 'identity');
  if (!encodings.has(encoding)) throw new RpcError('UNIMPLEMENTED', `Compression algorithm '${encoding}' is not supported.`);
  return method;
}

/** Reads the single message of a unary or server-streaming call. */
function collect(
  stream: ServerHttp2Stream,
  { unframer, reply, run }: { readonly unframer: Unframer; readonly reply: Reply; readonly run: (request: Uint8Array) => void },
): void {
  let request: Uint8Array | undefined;
  stream.on('data', (chunk: Buffer) => {
    if (reply.isDone) return;
    try {
      for (const message of unframer.push(chunk)) {
        if (request) throw new RpcError('INTERNAL', 'Too many request messages for a call that takes one.');
        request = message;
      }
    } catch (error) {
      reply.fail(rpcErrorOf(error));
    }
  });
  stream.on('end', () => {
    if (reply.isDone || stream.rstCode !== constants.NGHTTP2_NO_ERROR) return;
    if (request && !unframer.isInside) run(request);
    else reply.fail(new RpcError('INTERNAL', 'The request ended before its message was whole.'));
  });
}

async function serveOne(
  method: Exclude<Method, { kind: 'bidi' }>,
  {
    request,
    call,
    reply,
    log,
  }: { readonly request: Uint8Array; readonly call: CallContext; readonly reply: Reply; readonly log: Log },
): Promise<void> {
  try {
    if (method.kind === 'unary') reply.only(await method.run(request, call));
    else {
      // The official Node client treats a stream that fails before its headers as a lost connection and retries for 7 s.
      reply.begin();
      await pour(method.run(request, call), reply);
    }
  } catch (error) {
    fail(error, reply, log);
  }
}

async function serveBidi(responses: AsyncIterable<readonly Message[]>, reply: Reply, log: Log): Promise<void> {
  try {
    reply.begin();
    await pour(responses, reply);
  } catch (error) {
    fail(error, reply, log);
  }
}

/** Sends batches with back-pressure; stops reading the source when the client is gone. */
async function pour(source: AsyncIterable<readonly Message[]> | Iterable<readonly Message[]>, reply: Reply): Promise<void> {
  for await (const batch of source) {
    if (reply.isDone) return;
    await reply.send(batch);
    if (reply.isDone) return;
  }
  reply.succeed();
}

function fail(error: unknown, reply: Reply, log: Log): void {
  const rpcError = rpcErrorOf(error);
  if (rpcError.code === 'INTERNAL' && rpcError !== error && !reply.isDone) log(error);
  reply.fail(rpcError);
}
