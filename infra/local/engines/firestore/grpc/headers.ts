import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import { RpcError, type StatusName, status } from '../base/types.ts';
import { WireError } from '../proto/wire-reader.ts';

/** The status of a call: in the trailers, or as headers if nothing else was sent. */
export const statusHeaders = (code: StatusName, message: string): OutgoingHttpHeaders =>
  message === ''
    ? { 'grpc-status': String(status[code]) }
    : { 'grpc-status': String(status[code]), 'grpc-message': percentEncode(message) };

/** The headers before the first message. */
export const responseHeaders: OutgoingHttpHeaders = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-accept-encoding': 'identity,deflate,gzip',
};

/** Maps unexpected errors to a status: undecodable bytes are the client's fault, everything else is internal. */
export function rpcErrorOf(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof WireError)
    return new RpcError('INVALID_ARGUMENT', `Request message could not be parsed: ${error.message}`);
  return new RpcError('INTERNAL', `An internal error occurred: ${String(error)}`);
}

const units: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 0.001, n: 0.000_001 };

/** Milliseconds of a grpc-timeout header, capped at Node's timer limit of 2^31 - 1. */
export function timeoutMs(header: string): number {
  const match = /^(\d{1,8})([HMSmun])$/.exec(header);
  if (!match) throw new RpcError('INTERNAL', `Invalid grpc-timeout: ${header}`);
  return Math.min(Number(match[1]) * (units[match[2] ?? 'm'] ?? 1), 2 ** 31 - 1);
}

/** Request headers by lower-case name, as strings. */
export function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') plain[name] = value;
    else if (value !== undefined) plain[name] = value.join(', ');
  }
  return plain;
}

/** Longer messages could exceed a client's header limit. */
const maxMessageBytes = 6_000;

function percentEncode(message: string): string {
  const bytes = Buffer.from(message, 'utf8').subarray(0, maxMessageBytes);
  let text = '';
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    text += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  // HTTP drops a header that begins or ends with a space.
  return text.replace(/^ | $/g, '%20');
}
