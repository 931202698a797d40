/** Stands between a client and a server and does to calls what a test wrote down; what it did not is passed on as it is. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { type Stops, serve } from '../store/store-stands.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

export type Fault =
  /** Answers itself; the server never hears of it. */
  | { readonly answer: { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> } }
  /** The server does it, and its answer is lost. */
  | 'lost'
  /** The answer ends in the middle, where it has a body. */
  | 'cut'
  /** A bit of the request changes on its way. */
  | 'flipped'
  /** No answer ever comes. */
  | 'silent'
  /** The server gets this many bytes of a part of a resumable upload. */
  | { readonly passedBytes: number }
  /** The answer, which is JSON, comes with these fields instead. */
  | { readonly changed: object };

export interface FaultProxy {
  readonly url: string;
  readonly seen: Seen[];
  /** From now on; all that was before is forgotten. */
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
    const answer = await pass(target, method, path, headers, body);
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

const pass = (target: string, method: string, path: string, headers: IncomingHttpHeaders, body: Buffer) =>
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
