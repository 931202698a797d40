/** A proxy between client and server that injects scripted faults and passes other calls through. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { type Stops, serve } from '../store/store-stands.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

export type Fault =
  /** The proxy responds itself; the server is not called. */
  | { readonly answer: { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> } }
  /** The server handles the call, and its response is lost. */
  | 'lost'
  /** The response body is truncated. */
  | 'cut'
  /** One bit of the request is flipped. */
  | 'flipped'
  /** No response ever arrives. */
  | 'silent'
  /** The server gets only this many bytes of a part of a resumable upload. */
  | { readonly passedBytes: number }
  /** The JSON response has these fields replaced. */
  | { readonly changed: object };

export interface FaultProxy {
  readonly url: string;
  readonly seen: Seen[];
  /** Replaces all previous faults. */
  script(fault: (seen: Seen, before: number) => Fault | undefined | Promise<Fault | undefined>): void;
}

export const s3Error = (status: number, code: string): Fault => ({
  answer: { status, body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>scripted</Message></Error>` },
});

export const openFaultProxy = async (stops: Stops, target: string): Promise<FaultProxy> => {
  const seen: Seen[] = [];
  let script: Parameters<FaultProxy['script']>[0] = () => undefined;
  const url = await serve(stops, async (incoming, response) => {
    const parts = await incoming.toArray().catch(() => undefined);
    // The client ended the call in the middle of its body.
    if (!parts) return;
    let body = Buffer.concat(parts);
    const { method = 'GET', url: path = '/', headers } = incoming;
    const here = { method, path, body };
    const before = seen.filter((other) => other.method === method && plain(other.path) === plain(path)).length;
    seen.push(here);
    const fault = await script(here, before);
    if (fault === 'silent') return;
    if (typeof fault === 'object' && 'answer' in fault) {
      response
        .writeHead(fault.answer.status, { 'content-type': 'application/xml', ...fault.answer.headers })
        .end(fault.answer.body ?? '');
      return;
    }
    if (fault === 'flipped') body[body.length >> 1]! ^= 1;
    if (typeof fault === 'object' && 'passedBytes' in fault) {
      body = body.subarray(0, fault.passedBytes);
      const first = Number(/\d+/.exec(headers['content-range'] ?? '')?.[0]);
      headers['content-range'] = `bytes ${first}-${first + body.length - 1}/*`;
      headers['content-length'] = String(body.length);
    }
    const answer = await pass(target, { method, path, headers, body });
    if (typeof fault === 'object' && 'changed' in fault) {
      answer.body = Buffer.from(JSON.stringify({ ...JSON.parse(answer.body.toString()), ...fault.changed }));
      answer.headers['content-length'] = String(answer.body.length);
    }
    if (fault === 'lost') return void response.destroy();
    const length = fault === 'cut' ? answer.body.length >> 1 : answer.body.length;
    response.writeHead(answer.status, answer.headers);
    response.write(answer.body.subarray(0, length), () => (fault === 'cut' ? response.destroy() : response.end()));
  });
  return {
    url,
    seen,
    script: (next) => {
      seen.length = 0;
      script = next;
    },
  };
};

const plain = (path: string): string => path.split('?')[0] ?? '';

const pass = (
  target: string,
  {
    method,
    path,
    headers,
    body,
  }: { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer },
) =>
  new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const { connection: _ours, ...rest } = headers;
    const call = request(target + path, { method, headers: rest, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('end', () => {
        const { connection: _theirs, 'keep-alive': _own, 'transfer-encoding': _way, ...passed } = response.headers;
        const whole = Buffer.concat(parts);
        const size = method === 'HEAD' ? {} : { 'content-length': String(whole.length) };
        resolve({ status: response.statusCode ?? 500, headers: { ...passed, ...size }, body: whole });
      });
    });
    call.once('error', reject);
    call.end(body);
  });
