import { RpcError } from '../base/types.ts';

/** What a request of the forward channel carries. */
export interface ForwardData {
  /** Of the handshake: the headers of the call, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The number of the first message; a retry repeats numbers. */
  readonly offset: number;
  readonly messages: readonly string[];
}

/** More messages than a client puts into one request. */
const maxMessages = 1000;

/** Parses the form of the forward channel: `count`, `ofs`, and `req0___data__`, `req1___data__`, …. */
export const parseForward = (form: string): ForwardData => {
  const fields = new URLSearchParams(form);
  const count = parseNumber(fields.get('count') ?? '0', 'count');
  if (count > maxMessages) throw new RpcError('INVALID_ARGUMENT', `count: must be at most ${maxMessages}`);
  const messages = Array.from({ length: count }, (_, n) => {
    const message = fields.get(`req${n}___data__`);
    if (message === null) throw new RpcError('INVALID_ARGUMENT', `req${n}___data__ is missing`);
    return message;
  });
  return { headers: parseHeaders(fields.get('headers') ?? ''), offset: parseNumber(fields.get('ofs') ?? '0', 'ofs'), messages };
};

/** Parses headers that a page puts into the query or the form, where they need no preflight request. */
export const parseHeaders = (text: string): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = Object.create(null);
  for (const line of text.split('\r\n')) {
    const [, name, value] = /^([\w-]+):(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers[name.toLowerCase()] = value.trim();
  }
  return headers;
};

export const parseNumber = (text: string, name: string): number => {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new RpcError('INVALID_ARGUMENT', `${name}: must be a whole number`);
};
