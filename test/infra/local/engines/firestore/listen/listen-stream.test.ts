import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { ClientHttp2Stream } from 'node:http2';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { frame, Unframer } from '../../../../../../infra/local/engines/firestore/grpc/frames.ts';
import { type Firestore as Server, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { type ListenResponse, proto } from '../../../../../../infra/local/engines/firestore/proto/codecs.ts';
import { RawGrpc } from '../../../../../harness/firestore/raw-grpc.ts';

const database = 'projects/raw-listen/databases/(default)';
let server: Server;
let client: RawGrpc;

beforeAll(async () => {
  server = await startFirestore();
  client = new RawGrpc(server.url);
});
afterAll(async () => {
  client.close();
  await server.stop();
});

const set = async (path: string, n: number): Promise<void> => {
  const fields = new Map([['n', proto.Value.encode({ integerValue: BigInt(n) })]]);
  const update = proto.Document.encode({ name: `${database}/documents/${path}`, fields });
  await commit(proto.Write.encode({ update }));
};
const remove = (path: string): Promise<void> => commit(proto.Write.encode({ delete: `${database}/documents/${path}` }));
const commit = async (write: Uint8Array): Promise<void> => {
  const { status, message } = await client.call('Commit', [proto.CommitRequest.encode({ database, writes: [write] })]);
  assert.equal(status, 0, message);
};

type Target = NonNullable<Parameters<typeof proto.ListenRequest.encode>[0]['addTarget']>;

/** A Listen stream that records its messages in short words. */
class Ear {
  readonly #stream: ClientHttp2Stream;
  readonly #heard: ListenResponse[] = [];
  #wake = (): void => {};

  constructor() {
    this.#stream = client.open('Listen');
    const unframer = new Unframer();
    this.#stream.on('data', (chunk: Buffer) => {
      for (const message of unframer.push(chunk)) this.#heard.push(proto.ListenResponse.decode(Buffer.from(message)));
      this.#wake();
    });
  }

  add(target: Target): void {
    this.#stream.write(frame([proto.ListenRequest.encode({ database, addTarget: target })]));
  }

  removeTarget(id: number): void {
    this.#stream.write(frame([proto.ListenRequest.encode({ database, removeTarget: id })]));
  }

  async next(): Promise<ListenResponse> {
    while (this.#heard.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#heard.shift() as ListenResponse;
  }

  /** The messages up to the next consistent time, and that time's token. */
  async snapshot(): Promise<{ words: string[]; token: Uint8Array }> {
    const words: string[] = [];
    for (;;) {
      const response = await this.next();
      const { targetChange, documentChange, documentDelete, documentRemove, filter } = response;
      const name = (text: string): string => text.slice(`${database}/documents/`.length);
      if (targetChange?.targetChangeType === 'NO_CHANGE' && targetChange.targetIds.length === 0)
        return { words, token: targetChange.resumeToken };
      if (targetChange) words.push(`${targetChange.targetChangeType} ${targetChange.targetIds.join()}`);
      if (documentChange?.document) {
        const path = name(proto.Document.decode(documentChange.document).name);
        words.push(documentChange.targetIds.length > 0 ? `change ${path}` : `leave ${path}`);
      }
      if (documentDelete) words.push(`delete ${name(documentDelete.document)}`);
      if (documentRemove) words.push(`remove ${name(documentRemove.document)}`);
      if (filter) words.push(`filter ${filter.count}`);
    }
  }

  /** The final status of the stream. */
  end(): Promise<number> {
    return new Promise((resolve) => this.#stream.once('trailers', (trailers) => resolve(Number(trailers['grpc-status']))));
  }

  close(): void {
    this.#stream.close();
  }
}

const query = (collectionId: string, targetId: number, more: Partial<Target> = {}): Target => ({
  targetId,
  query: { parent: `${database}/documents`, structuredQuery: { from: [{ collectionId, allDescendants: true }] } },
  ...more,
});

/** The client's test: all bits at h1 + i × h2 of the name's MD5 are set. */
const mightContain = (bitmap: Uint8Array, bitCount: number, hashCount: number, path: string): boolean => {
  const hash = createHash('md5').update(`${database}/documents/${path}`).digest();
  return Array.from({ length: hashCount }).every((_, i) => {
    const sum = BigInt.asUintN(64, hash.readBigUInt64LE(0) + BigInt(i) * hash.readBigUInt64LE(8));
    const bit = Number(sum % BigInt(bitCount));
    return ((bitmap[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  });
};

describe('the Listen protocol', () => {
  test('sends ADD, documents, CURRENT and a consistent time; then each commit with its time', async () => {
    await set('c/a', 1);
    const ear = new Ear();
    ear.add(query('c', 7));
    assert.deepEqual((await ear.snapshot()).words, ['ADD 7', 'change c/a', 'CURRENT 7']);
    await set('c/a/c/deep', 2);
    assert.deepEqual((await ear.snapshot()).words, ['change c/a/c/deep']);
    await remove('c/a');
    assert.deepEqual((await ear.snapshot()).words, ['delete c/a']);
    ear.close();
  });

  test('resumes from a token with exactly the missed changes, including deletions, and the exact count', async () => {
    await set('r/kept', 1);
    await set('r/changed', 1);
    await set('r/gone', 1);
    const first = new Ear();
    first.add(query('r', 1));
    const { token } = await first.snapshot();
    first.close();
    await set('r/changed', 2);
    await set('r/new', 1);
    await remove('r/gone');
    const second = new Ear();
    second.add(query('r', 1, { resumeToken: token }));
    // First the resume position, then the missed changes.
    assert.deepEqual(await second.snapshot(), { words: ['ADD 1'], token });
    const { words } = await second.snapshot();
    assert.deepEqual(words, ['change r/changed', 'delete r/gone', 'change r/new', 'filter 3', 'CURRENT 1']);
    second.close();
  });

  test('sends a Bloom filter to a client that sends its own count', async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => set(`bloom/${id}`, 1)));
    const first = new Ear();
    first.add(query('bloom', 1));
    const { token } = await first.snapshot();
    first.close();
    await remove('bloom/b');
    const second = new Ear();
    second.add(query('bloom', 1, { resumeToken: token, expectedCount: { value: 3 } }));
    let filter: ListenResponse['filter'];
    while (!filter) filter = (await second.next()).filter;
    const { bits, hashCount = 0 } = filter.unchangedNames ?? {};
    assert.equal(filter.count, 2);
    assert.ok(bits);
    const isIn = (path: string) => mightContain(bits.bitmap, bits.bitmap.length * 8 - bits.padding, hashCount, path);
    assert.deepEqual(['bloom/a', 'bloom/b', 'bloom/c'].map(isIn), [true, false, true]);
    second.close();
  });

  test('shares a stream between targets; removing one keeps the other', async () => {
    const ear = new Ear();
    ear.add(query('m1', 1));
    await ear.snapshot();
    ear.add(query('m2', 2));
    await ear.snapshot();
    ear.removeTarget(1);
    const removed = await ear.next();
    assert.equal(removed.targetChange?.targetChangeType, 'REMOVE');
    await set('m1/x', 1);
    await set('m2/x', 1);
    assert.deepEqual((await ear.snapshot()).words, ['change m2/x']);
    ear.close();
  });

  test('restarts with RESET for an expired token', async () => {
    await set('old/a', 1);
    const first = new Ear();
    first.add(query('old', 1));
    const { token } = await first.snapshot();
    first.close();
    server.databases.open({ projectId: 'raw-listen', databaseId: '(default)' }).expireSnapshots();
    await set('old/b', 1);
    const second = new Ear();
    second.add(query('old', 1, { resumeToken: token }));
    assert.deepEqual((await second.snapshot()).words, ['ADD 1']);
    assert.deepEqual((await second.snapshot()).words, ['RESET 1', 'change old/a', 'change old/b', 'CURRENT 1']);
    second.close();
  });

  test('removes a target with a cause for a foreign token or a duplicate id, and keeps the stream', async () => {
    const ear = new Ear();
    ear.add(query('t', 1, { resumeToken: Buffer.from('nonsense') }));
    const cause = async () => (await ear.next()).targetChange?.cause;
    assert.deepEqual(await cause(), { code: 3, message: 'bad resume token', details: [] });
    ear.add(query('t', 1));
    assert.deepEqual((await ear.snapshot()).words, ['ADD 1', 'CURRENT 1']);
    ear.add(query('t', 1));
    assert.deepEqual(await cause(), { code: 6, message: 'Target ID already exists: 1', details: [] });
    ear.close();
  });

  test('assigns ids to targets without one; afterwards clients may not choose ids', async () => {
    const ear = new Ear();
    ear.add(query('t1', 0));
    assert.deepEqual((await ear.snapshot()).words, ['ADD 1', 'CURRENT 1']);
    ear.add(query('t2', 0));
    assert.deepEqual((await ear.snapshot()).words, ['ADD 2', 'CURRENT 2']);
    ear.add(query('t3', 3));
    assert.equal(await ear.end(), 3);
    const negative = new Ear();
    negative.add(query('t1', -1));
    assert.equal(await negative.end(), 3);
  });

  test('removes a target without a collection id with a cause, and keeps the stream', async () => {
    const ear = new Ear();
    ear.add(query('', 3));
    const refused = await ear.next();
    assert.equal(refused.targetChange?.targetChangeType, 'REMOVE');
    assert.equal(refused.targetChange?.cause?.code, 3);
    ear.add(query('fine', 4));
    assert.deepEqual((await ear.snapshot()).words, ['ADD 4', 'CURRENT 4']);
    ear.close();
  });

  test('ends a target with `once` after its initial results', async () => {
    await set('once/a', 1);
    const ear = new Ear();
    ear.add(query('once', 5, { once: true }));
    assert.deepEqual((await ear.snapshot()).words, ['ADD 5', 'change once/a', 'CURRENT 5']);
    assert.equal((await ear.next()).targetChange?.targetChangeType, 'REMOVE');
    ear.close();
  });

  test('reports commits between a request and its response once, in order', async () => {
    const ear = new Ear();
    ear.add(query('burst', 6));
    for (let n = 0; n < 50; n++) await set(`burst/${String(n).padStart(2, '0')}`, n);
    const heard: string[] = [];
    while (!heard.includes('change burst/49')) heard.push(...(await ear.snapshot()).words);
    const changes = heard.filter((word) => word.startsWith('change'));
    assert.equal(changes.length, 50);
    assert.deepEqual(changes, [...changes].sort());
    ear.close();
  });
});
