import { RpcError, status } from '../base/types.ts';
import { decodeRequest, proto } from '../proto/codecs.ts';
import type { Quota } from './quota.ts';

const quotaExceeded = 'Quota exceeded.';

/** The number of writes in a request. */
export function writeCountOf(method: string, request: Uint8Array): number {
  if (method === 'Commit') return decodeRequest(proto.CommitRequest, request).writes.length;
  if (method === 'Write') return decodeRequest(proto.WriteRequest, request).writes.length;
  return /^(Create|Update|Delete)Document$/.test(method) ? 1 : 0;
}

/** Throws if the writes exceed the project's remaining quota. */
export function limitWrites(quota: Quota, count: number): void {
  if (count > 0 && !quota.takeAll(count)) throw new RpcError('RESOURCE_EXHAUSTED', quotaExceeded);
}

/** Runs as many writes of a BatchWrite as the quota allows; like the service, the others get their own status. */
export async function limitBatch(
  quota: Quota,
  request: Uint8Array,
  run: (part: Uint8Array) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const batch = decodeRequest(proto.BatchWriteRequest, request);
  const granted = quota.take(batch.writes.length);
  if (granted === batch.writes.length) return run(request);
  const part = await run(proto.BatchWriteRequest.encode({ ...batch, writes: batch.writes.slice(0, granted) }));
  const answer = proto.BatchWriteResponse.decode(part);
  const refused = batch.writes.slice(granted);
  return proto.BatchWriteResponse.encode({
    writeResults: [...answer.writeResults, ...refused.map(() => ({}))],
    status: [...answer.status, ...refused.map(() => ({ code: status.RESOURCE_EXHAUSTED, message: quotaExceeded }))],
  });
}
