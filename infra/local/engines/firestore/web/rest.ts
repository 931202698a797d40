import { bytesOf, type CallContext, type Method, type Methods } from '../base/types.ts';
import { rpcErrorOf } from '../grpc/headers.ts';
import { type EnumStyle, jsonOfMessage, jsonText, messageOfJson } from './encode-json.ts';
import { findRestRoute } from './rest-routes.ts';

/** A REST call on documents: its method, and how to run it. */
export interface RestCall {
  /** JSON text in chunks. */
  run(): AsyncIterable<string>;
  /** Whether the response is a list of messages (a stream); errors then come in a list as well. */
  readonly isList: boolean;
}

/** The call for a REST request under /v1/projects/; undefined if there is none. */
export function restCall(
  methods: Methods,
  http: { readonly method: string; readonly path: string; readonly query: URLSearchParams; readonly body: unknown },
  call: CallContext,
): RestCall | undefined {
  const route = findRestRoute(http.method, http.path);
  const method = route && methods[route.method];
  if (!route || !method || method.kind === 'bidi') return undefined;
  const enums: EnumStyle = http.query.get('$alt')?.includes('enum-encoding=int') ? 'number' : 'name';
  return {
    isList: method.kind === 'server-stream',
    run: () => {
      const request = messageOfJson(`${route.method}Request`, route.request(http.query, http.body));
      return answer(method, {
        request,
        call,
        text: (bytes) => jsonText(jsonOfMessage(route.answer, bytes, enums)),
      });
    },
  };
}

async function* answer(
  method: Exclude<Method, { kind: 'bidi' }>,
  {
    request,
    call,
    text,
  }: { readonly request: Uint8Array; readonly call: CallContext; readonly text: (bytes: Uint8Array) => string },
): AsyncGenerator<string> {
  if (method.kind === 'unary') {
    const bytes = await method.run(request, call);
    yield text(bytes);
    return;
  }
  let isFirst = true;
  for await (const batch of method.run(request, call)) {
    yield batch
      .map((message) => {
        const piece = `${isFirst ? '[' : '\n,'}${text(bytesOf(message))}`;
        isFirst = false;
        return piece;
      })
      .join('');
  }
  yield isFirst ? '[]' : '\n]';
}

const httpStatuses: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ABORTED: 409,
  ALREADY_EXISTS: 409,
  RESOURCE_EXHAUSTED: 429,
  CANCELLED: 499,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

/** An error in the format of Google's REST APIs. */
export function restError(error: unknown): { readonly httpStatus: number; readonly body: { readonly error: object } } {
  const { code, message } = rpcErrorOf(error);
  const httpStatus = httpStatuses[code] ?? 500;
  return { httpStatus, body: { error: { code: httpStatus, message, status: code } } };
}
