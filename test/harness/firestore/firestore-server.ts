/** A source with documents of every awkward kind, and the expected result of reading it. */

import { lastKey } from '../../../infra/local/engines/firestore/base/path-key.ts';
import { type Firestore, type FirestoreOptions, startFirestore } from '../../../infra/local/engines/firestore/index.ts';
import { proto } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { commitWrites, parseWrite } from '../../../infra/local/engines/firestore/write/commit-writes.ts';
import {
  FirestoreDatabase,
  type NameRange,
  type RangeReader,
  type ReadRangeOptions,
  readRange,
  type SourceOptions,
} from '../../../shared/firestore/index.ts';

export const name = { projectId: 'demo', databaseId: '(default)' };
export const root = 'projects/demo/databases/(default)/documents';

export const startServer = (options: FirestoreOptions = {}): Promise<Firestore> => startFirestore({ log: () => {}, ...options });

/** Records delays instead of waiting. */
export const sourceOf = (
  url: string,
  options: Partial<SourceOptions> = {},
): FirestoreDatabase & { readonly delays: number[] } => {
  const delays: number[] = [];
  const source = new FirestoreDatabase({
    endpoint: url,
    projectId: name.projectId,
    token: async () => 'owner',
    random: () => 0.5,
    sleep: async (ms) => void delays.push(ms),
    ...options,
  });
  return Object.assign(source, { delays });
};

/** Writes documents at these paths, each with a text of the given length. */
export const write = async (
  server: Firestore,
  {
    paths,
    letters = 20,
    text = 'x',
  }: { readonly paths: readonly string[]; readonly letters?: number | undefined; readonly text?: string | undefined },
): Promise<void> => {
  const database = server.databases.open(name);
  for (let start = 0; start < paths.length; start += 500) {
    const writes = paths.slice(start, start + 500).map((path) => {
      const fields = new Map([['text', proto.Value.encode({ stringValue: text.repeat(letters) })]]);
      return parseWrite(proto.Write.encode({ update: proto.Document.encode({ name: `${root}/${path}`, fields }) }), name);
    });
    await commitWrites(database, writes);
  }
};

/** The contents of the database in its own order: path and encoded bytes. */
export const contents = (server: Firestore): readonly (readonly [string, string])[] => {
  const database = server.databases.open(name);
  return [...database.scan('', lastKey, { at: database.readTime() })].map(({ path, bytes }) => [
    path,
    Buffer.from(bytes).toString('hex'),
  ]);
};

export interface Taken {
  readonly documents: readonly (readonly [string, string])[];
  readonly reader: RangeReader;
}

/** Reads a range to its end and copies its documents. */
export const take = async (
  source: FirestoreDatabase,
  {
    readTime,
    range = {},
    options = {},
  }: {
    readonly readTime: string;
    readonly range?: NameRange | undefined;
    readonly options?: (Partial<ReadRangeOptions> & { onBatch?: () => unknown }) | undefined;
  },
): Promise<Taken> => {
  const { onBatch, ...rest } = options;
  const documents: (readonly [string, string])[] = [];
  const reader = readRange(source, { range, readTime, ...rest });
  for await (const batch of reader) {
    for (let i = 0; i < batch.count; i++)
      documents.push([
        batch
          .nameBytes(i)
          .toString()
          .slice(root.length + 1),
        batch.document(i).toString('hex'),
      ]);
    await onBatch?.();
  }
  return { documents, reader };
};

/** Ids that break other tools, and documents with missing parents. */
export const awkward: readonly string[] = [
  'a/__id-9223372036854775808__',
  'a/__id-1__',
  'a/__id7__',
  'a/__id10__',
  'a/__id9223372036854775807__',
  'a/ ',
  'a/x',
  'a/x/b/y',
  'a/x/b/y/c/z',
  'a/x\u0001',
  'a/x\n/b/1',
  'a/~',
  'a/é',
  'a/e\u0301',
  'a/\ud83d\ude00',
  'a/\uffee',
  `a/${'l'.repeat(1_500)}`,
  'a!/1',
  'a\u0001/1',
  'a b/1',
  'ab/1',
  'gone/1/also-gone/2/here/3',
  'z/__id5__/deep/__id6__',
  '\ud83d\ude00/1',
];
