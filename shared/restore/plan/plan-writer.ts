import { collectionIdOf, countBytes } from '../../firestore/index.ts';
import { JobFailure, throwAsUploadError } from '../../job/index.ts';
import { TransformTally } from '../../mask/index.ts';
import { isRedacted, userAccountOf } from '../../project/index.ts';
import type { PartWriter } from '../../stored-backup/index.ts';
import type { PlanCounts } from '../model/record.ts';
import { emptyPlan, type PlannedPart } from './check-progress.ts';
import type { CheckRun } from './check-run.ts';
import type { UserDecision } from './decide-user-actions.ts';
import { DeletionSet } from './deletions.ts';
import { isTouching } from './document-action-policy.ts';
import type { DocumentDecision } from './document-walk.ts';

/**
 * A part ends here even if its range continues: a failure repeats no more reads than this, and the part's item (pages,
 * collections) stays well below 400 KB.
 */
const partBytesMax = 1 << 30;
const collectionBytesMax = 64 << 10;
/** Bytes after which documents are handed to the store. */
const drainBytes = 1 << 20;

/** Actions after which the target has the document as the backup has it. */
const isRestoring = { create: true, overwrite: true, delete: false, skip: false, unchanged: true } as const;

/** The plan of a part, and the journal part that stores what the plan touches. */
export class PlanWriter {
  readonly #plan: { -readonly [Action in keyof PlanCounts]: number } = { ...emptyPlan };
  #records = 0;
  #erased = 0;
  last: string | undefined;
  /** Collection ids of restored documents. */
  readonly #collections = new Set<string>();
  readonly #saved = new Map<string, number>();
  #originalSize = 0;
  readonly #deletions = new DeletionSet();
  readonly #transformed: TransformTally | undefined;
  readonly #part: PartWriter;
  readonly #root: string;
  readonly #isDryRun: boolean;
  readonly #keepsContents: boolean;
  #bytes = 0;
  #undrainedBytes = 0;
  #collectionBytes = 0;

  constructor({ restore, target }: CheckRun, part: PartWriter) {
    this.#part = part;
    this.#root = `${target.root}/`;
    this.#isDryRun = restore.dryRun;
    this.#keepsContents = restore.safetyBackup;
    this.#transformed = restore.transform && new TransformTally(restore.transform.rules.length);
  }

  /** Counts a document that an erasure hides. A later run continues behind it, so that it counts once. */
  addErased(path: string): void {
    this.#erased += 1;
    this.#records += 1;
    this.last = path;
  }

  get plan(): PlanCounts {
    return this.#plan;
  }

  get isFull(): boolean {
    return this.#bytes >= partBytesMax || this.#collectionBytes >= collectionBytesMax;
  }

  addDocument({ name, action, live, isOfBackup, masked }: DocumentDecision): Promise<void> | undefined {
    const path = name.toString();
    this.#plan[action] += 1;
    if (isOfBackup) this.#records += 1;
    if (masked) this.#transformed?.add(masked);
    this.last = path;
    if (action === 'delete') this.#deletions.add(path);
    const collection = collectionIdOf(path);
    if (isRestoring[action]) this.#note(this.#collections, collection);
    if (!isTouching[action] || this.#isDryRun) return undefined;
    this.#save(path, collection, live);
    if (this.#undrainedBytes < drainBytes) return undefined;
    this.#undrainedBytes = 0;
    return this.#part.drain();
  }

  async addUser({ id, name, action, live }: UserDecision): Promise<void> {
    this.#plan[action] += 1;
    this.#records += 1;
    if (action === 'delete') this.#deletions.add(name.toString());
    if (!isTouching[action] || this.#isDryRun) return;
    if (live && this.#keepsContents) {
      if (isRedacted(userAccountOf(live))) throw hashesHidden();
      this.#part.user(id, live.json);
      this.#originalSize += live.json.length;
    } else this.#part.tombstone(name);
    await this.#part.drain();
  }

  async finish(): Promise<PlannedPart> {
    const stored = await this.#part.finish().catch(throwAsUploadError);
    return {
      plan: this.#plan,
      ...this.#deletions.planned,
      transformed: this.#transformed?.counts,
      records: this.#records,
      erased: this.#erased,
      collections: this.#collections,
      part: stored && { ...stored, originalSize: this.#originalSize, collections: JSON.stringify([...this.#saved]) },
    };
  }

  #save(path: string, collection: string, live: Uint8Array | undefined): void {
    const name = Buffer.from(this.#root + path);
    const bytes = live && this.#keepsContents ? live.length : name.length;
    if (live && this.#keepsContents) {
      this.#part.document(live);
      this.#originalSize += live.length;
      this.#note(this.#saved, collection);
      this.#saved.set(collection, (this.#saved.get(collection) ?? 0) + 1);
    } else this.#part.tombstone(name, live);
    this.#bytes += bytes;
    this.#undrainedBytes += bytes;
  }

  #note(ids: Set<string> | Map<string, number>, id: string): void {
    if (ids.has(id)) return;
    this.#collectionBytes += countBytes(id);
    if (ids instanceof Set) ids.add(id);
    else ids.set(id, 0);
  }
}

/** Nothing was written: a user that cannot be saved is replaced only without a safety backup. */
const hashesHidden = (): JobFailure =>
  new JobFailure(
    'TARGET_PERMISSION_DENIED',
    'The access to the target does not show password hashes (firebaseauth.configs.getHashConfig), so replaced users could not be restored by an undo: grant that permission, or restore without a safety backup',
  );
