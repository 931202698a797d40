/** A service whose answers a test gives, and the command line in this process. */
import { PassThrough, Readable } from 'node:stream';
import { cliFailureOf } from '../../../infra/cli/base/cli-failure.ts';
import { createProgram } from '../../../infra/cli/program.ts';
import { type Stops, serve } from '../store/store-stands.ts';

interface ScriptedCall {
  readonly method: string;
  /** Below /api/v1. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

interface ScriptedAnswer {
  readonly status?: number;
  /** Of the envelope. */
  readonly data?: unknown;
  readonly nextCursor?: string | null;
  /** Instead of the envelope. */
  readonly text?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: object };
}

/** `answer` may be replaced during the test. Undefined: 404. */
export const openScriptedService = async (stops: Stops, answer: (call: ScriptedCall) => ScriptedAnswer | undefined) => {
  const seen: ScriptedCall[] = [];
  const service = { url: '', seen, answer };
  service.url = await serve(stops, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service');
    const call = {
      method: request.method ?? '',
      path: pathname.replace(/^\/api\/v1/, ''),
      query: Object.fromEntries(searchParams),
    };
    seen.push(call);
    const {
      data,
      text,
      nextCursor = null,
      error,
      status = error ? 500 : 200,
    } = service.answer(call) ?? { status: 404, error: { code: 'NOT_FOUND', message: 'Nothing here' } };
    const pagination = { hasMore: nextCursor !== null, nextCursor };
    const body = error ? { success: false, error } : { success: true, data, pagination };
    response
      .writeHead(status, { 'content-type': text === undefined ? 'application/json' : 'text/csv' })
      .end(text ?? JSON.stringify(body));
  });
  return service;
};

/** Runs `bms` in this process and returns what it writes, and its exit code. */
export const runProgram = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([stdout, stderr].map(async (stream) => Buffer.concat(await stream.toArray()).toString()));
  const program = createProgram({
    args: [],
    env,
    stdin: Readable.from([]) as never,
    stdout: stdout as never,
    stderr: stderr as never,
    signal: new AbortController().signal,
  });
  const failure = await program.parseAsync([...args], { from: 'user' }).then(() => undefined, cliFailureOf);
  stdout.end();
  stderr.end();
  const [out = '', err = ''] = await texts;
  return { code: failure?.exitCode ?? 0, out, err: failure ? `${err}bms: ${failure.message}\n` : err };
};
