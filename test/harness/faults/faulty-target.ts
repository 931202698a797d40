/** A database in which each write can fail, before or after it is applied. */

import type { TestContext } from 'vitest';
import { pathKey } from '../../../infra/local/engines/firestore/base/path-key.ts';
import { type StatusName, status } from '../../../infra/local/engines/firestore/base/types.ts';
import { listen, serve } from '../../../infra/local/engines/firestore/grpc/server.ts';
import { proto, type Value } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { rpcMethods } from '../../../infra/local/engines/firestore/rpc-methods.ts';
import type { StoredDatabase } from '../../../infra/local/engines/firestore/storage/database.ts';
import { openDatabases } from '../../../infra/local/engines/firestore/storage/databases.ts';
import { name, root } from '../firestore/firestore-server.ts';

export interface Fault {
  readonly status: StatusName;
  readonly message?: string;
  /** Whether the write is applied anyway. */
  readonly isApplied?: boolean;
}

/** The fault of the n-th attempt of a write, counted from 1. */
type FaultOf = (path: string, attempt: number) => Fault | undefined;

/** Stops with the test. */
export const startTarget = async (t: TestContext, faultOf: FaultOf = () => undefined) => {
  const databases = openDatabases();
  const methods = rpcMethods(databases);
  const inner = methods.BatchWrite;
  if (inner?.kind !== 'unary') throw new Error('BatchWrite is not a unary method');
  const attempts = new Map<string, number>();
  const requests: { readonly writes: number; readonly bytes: number }[] = [];
  const run: typeof inner.run = async (bytes, call) => {
    const batch = proto.BatchWriteRequest.decode(bytes);
    requests.push({ writes: batch.writes.length, bytes: bytes.length });
    const faults = batch.writes.map((write) => {
      const path = pathOf(write);
      attempts.set(path, (attempts.get(path) ?? 0) + 1);
      return faultOf(path, attempts.get(path) ?? 0);
    });
    const writes = batch.writes.filter((_, i) => !faults[i] || faults[i].isApplied);
    const response = proto.BatchWriteResponse.decode(await inner.run(proto.BatchWriteRequest.encode({ ...batch, writes }), call));
    const done = [...response.status];
    const statuses = faults.map((fault) => {
      const own = !fault || fault.isApplied ? done.shift() : undefined;
      return fault ? { code: status[fault.status], message: fault.message ?? 'Injected.' } : own!;
    });
    return proto.BatchWriteResponse.encode({ writeResults: statuses.map(() => ({})), status: statuses });
  };
  const log = (error: unknown) => console.error(error);
  const server = serve({
    server: await listen(0, '127.0.0.1'),
    methods: { ...methods, BatchWrite: { kind: 'unary', run } },
    log,
    web: (_, response) => void response.end(),
  });
  t.onTestFinished(async () => {
    await server.close();
    databases.close();
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    database: databases.open(name),
    attempts,
    requests,
  };
};

const pathOf = (write: Uint8Array): string => {
  const { update, delete: removed } = proto.Write.decode(write);
  return (removed ?? proto.Document.decode(update!).name).slice(root.length + 1);
};

export const encode = (value: Value): Uint8Array => proto.Value.encode(value);
export const text = (stringValue: string): Uint8Array => encode({ stringValue });
export const integer = (value: number): Uint8Array => encode({ integerValue: BigInt(value) });
export const map = (entries: Record<string, Uint8Array>): Uint8Array =>
  encode({ mapValue: { fields: new Map(Object.entries(entries)) } });

/** A document as a backup has it, with its times. */
export const documentOf = (path: string, fields: Record<string, Uint8Array>): Buffer =>
  Buffer.from(
    proto.Document.encode({
      name: `${root}/${path}`,
      fields: new Map(Object.entries(fields)),
      createTime: { seconds: 1_600_000_000n, nanos: 1_000 },
      updateTime: { seconds: 1_600_000_001n, nanos: 0 },
    }),
  );

/** The current encoded fields of a document; undefined if it does not exist. */
export const fieldsAt = (database: StoredDatabase, path: string): Readonly<Record<string, string>> | undefined => {
  const found = database.get(pathKey(path), database.readTime());
  if (!found) return undefined;
  return Object.fromEntries([...proto.Document.decode(found.bytes).fields].map(([key, value]) => [key, hex(value)]).sort());
};

export const hexFields = (fields: Record<string, Uint8Array>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([key, value]) => [key, hex(value)] as const)
      .sort(),
  );

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
