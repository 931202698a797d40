/** What was written to the source of a capture environment, and what a restore of a moment really yields. */
import { deepEqual } from 'node:assert/strict';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { recordKind, streamLeaves } from '../../../../shared/archive/index.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { buildPointInMemory, momentOf, planPoint, pointBackupRecord } from '../../../../shared/pitr/index.ts';
import { after, newId } from '../../../../shared/platform/index.ts';
import { openArchive } from '../../../../shared/stored-backup/index.ts';
import { commitDocuments, documentsRoot, textField } from '../../firestore/write-documents.ts';
import type { CaptureEnv } from '../capture-env.ts';

type Documents = Readonly<Record<string, string | null>>;
type Contents = ReadonlyMap<string, string>;

export class Journal {
  readonly #t: CaptureEnv;
  readonly #writes: { readonly at: number; readonly documents: Documents }[] = [];

  /** `before`: the documents that the environment was created with. */
  constructor(t: CaptureEnv, before: Readonly<Record<string, string>>) {
    this.#t = t;
    this.#writes.push({ at: 0, documents: before });
  }

  /** Writes in one commit; null deletes. */
  async put(documents: Documents): Promise<void> {
    const fields = Object.entries(documents).map(([path, text]) => [path, text === null ? undefined : textField(text)] as const);
    const at = await commitDocuments(this.#t.server, this.#t.sourceProjectId, fields);
    this.#writes.push({ at, documents });
  }

  /** Whether the document was written last with a content. */
  has(path: string): boolean {
    return typeof this.#writes.findLast(({ documents }) => path in documents)?.documents[path] === 'string';
  }

  stateAt(micros: number): Contents {
    const state = new Map<string, string>();
    for (const { at, documents } of this.#writes)
      for (const [path, text] of at <= micros ? Object.entries(documents) : [])
        if (text === null) state.delete(path);
        else state.set(path, text);
    return state;
  }

  /** Restores each moment and compares it. A refused moment is counted, one that is not exact fails. */
  async compare(moments: readonly number[]): Promise<{ readonly exact: number; readonly refused: readonly number[] }> {
    const refused: number[] = [];
    for (const moment of moments) {
      const restored = await restoreMoment(this.#t, moment);
      if (!restored) refused.push(moment);
      else deepEqual(sorted(restored), sorted(this.stateAt(moment)), `at ${momentOf(moment)}`);
    }
    return { exact: moments.length - refused.length, refused };
  }
}

/** Every whole second from a moment up to the last capture. */
export const secondsSince = (t: CaptureEnv, micros: number): readonly number[] => {
  const end = t.pitr.capturedTo === null ? 0 : Date.parse(t.pitr.capturedTo);
  const seconds: number[] = [];
  for (let ms = Math.ceil(micros / 1_000_000) * 1_000; ms <= end; ms += 1_000) seconds.push(ms * 1_000);
  return seconds;
};

/** The texts of all documents by path, as a restore of everything yields them; undefined if it is refused. */
export const restoreMoment = async (t: CaptureEnv, moment: number): Promise<Contents | undefined> => {
  const { tenant, projectId, deps, now } = t;
  const plan = await planPoint(tenant, { projectId, request: { pointInTime: momentOf(moment) }, now }).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'CONFLICT') return undefined;
    throw error;
  });
  if (!plan) return undefined;
  const identity = { id: newId('backup'), path: 'point', createdAt: now.toISOString(), createdBy: { type: 'user', id: 'u' } };
  const backup = pointBackupRecord(tenant, plan, { ...identity, createdBy: { type: 'user', id: 'u' } });
  const built = await buildPointInMemory(tenant, { backup, plan, deps, until: after(now, 600), clock: deps.clock });
  const { archive, close } = await openArchive(tenant, { backup: built.backup, deps: built.deps });
  const prefix = documentsRoot(t.sourceProjectId).length + 1;
  const contents = new Map<string, string>();
  try {
    for await (const { leaf, segment } of streamLeaves(archive))
      for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
        if (leaf.kind(slot) !== recordKind.document) continue;
        const text = proto.Document.decode(leaf.content(slot)).fields?.get('text');
        contents.set(leaf.name(slot).toString().slice(prefix), text ? (proto.Value.decode(text).stringValue ?? '') : '');
      }
  } finally {
    close();
  }
  return contents;
};

const sorted = (contents: Contents): readonly (readonly [string, string])[] => [...contents].sort(([a], [b]) => (a < b ? -1 : 1));
