/** Writers to a database, and shared helpers of their tests. */
import { equal, ok } from 'node:assert/strict';
import type { TestContext } from 'vitest';
import type { Firestore } from '../../../infra/local/engines/firestore/index.ts';
import { SourceError, type SourceErrorCode, type SourceOptions } from '../../../shared/firestore/index.ts';
import { BatchWriter, type BatchWriterOptions } from '../../../shared/firestore/write/batch-writer.ts';
import type { WriteMode } from '../../../shared/firestore/write/write-encoder.ts';
import { documentOf, fieldsAt, text } from '../faults/faulty-target.ts';
import { name, sourceOf } from './firestore-server.ts';

export const failing =
  (code: SourceErrorCode, isTransient = false) =>
  (error: unknown) => {
    ok(error instanceof SourceError, String(error));
    equal(error.code, code);
    equal(error.isTransient, isTransient);
    return true;
  };

/** A source and a writer to it, closed at the end of the test. */
export const writerTo = (
  t: TestContext,
  {
    url,
    options = {},
    source = {},
  }: {
    readonly url: string;
    readonly options?: BatchWriterOptions | undefined;
    readonly source?: Partial<SourceOptions> | undefined;
  },
) => {
  const target = sourceOf(url, source);
  t.onTestFinished(() => target.close());
  return { writer: new BatchWriter(target, options), source: target };
};

export const pathsOf = (collection: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${collection}/${n}`);

/** Writes or deletes documents that contain the name of their writer. */
export const put = async (
  writer: BatchWriter,
  {
    paths,
    mode,
    value = 'ours',
  }: { readonly paths: readonly string[]; readonly mode: WriteMode; readonly value?: string | undefined },
): Promise<void> => {
  for (const path of paths)
    await (mode === 'delete' ? writer.delete(path) : writer.put(documentOf(path, { who: text(value) }), mode));
};

/** The writer of a document. */
export const whoIs = (server: Firestore, path: string): string | undefined => {
  const who = fieldsAt(server.databases.open(name), path)?.who;
  return who && Buffer.from(who, 'hex').subarray(3).toString();
};
