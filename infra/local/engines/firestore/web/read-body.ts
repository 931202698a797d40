import type { IncomingMessage } from 'node:http';
import { RpcError } from '../base/types.ts';
import { maxRequestBytes } from '../grpc/frames.ts';

/** Parses a JSON body; an empty body is an empty object. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, maxRequestBytes);
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new RpcError('INVALID_ARGUMENT', `Invalid JSON payload received. ${(error as Error).message}`);
  }
}

export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new RpcError('INVALID_ARGUMENT', `Request payload size exceeds the limit: ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
