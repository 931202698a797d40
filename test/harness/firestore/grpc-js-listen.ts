import type { ServerDuplexStream } from '@grpc/grpc-js';
import { microsOf, type Request, root, timeOf } from './grpc-js-service.ts';

export type Talking = ServerDuplexStream<Request, object>;

export interface Store {
  now(): number;
  since(after: number): readonly string[];
  document(path: string): object | undefined;
}

/** The targets of one Listen stream. */
export class TargetSet {
  readonly #call: Talking;
  readonly #store: Store;
  readonly #groups = new Map<number, string>();

  constructor(call: Talking, store: Store) {
    this.#call = call;
    this.#store = store;
  }

  ask({ addTarget, removeTarget }: Request): void {
    if (removeTarget) {
      this.#groups.delete(removeTarget);
      this.#send({ targetChange: { targetChangeType: 'REMOVE', targetIds: [removeTarget] } });
    }
    if (!addTarget) return;
    const { targetId, query, documents, resumeToken, readTime } = addTarget;
    this.#send({ targetChange: { targetChangeType: 'ADD', targetIds: [targetId] } });
    const group = query?.structuredQuery.from?.[0]?.collectionId;
    if (group !== undefined) {
      this.#groups.set(targetId, group);
      const after = resumeToken?.length ? Number(resumeToken.toString()) : readTime ? microsOf(readTime) : 0;
      for (const path of this.#store.since(after)) this.#document(path);
    }
    for (const name of documents?.documents ?? [])
      this.#send({ documentDelete: { document: name, readTime: timeOf(this.#store.now()), removedTargetIds: [targetId] } });
    const resume = Buffer.from(String(this.#store.now()));
    const at = timeOf(this.#store.now());
    this.#send({ targetChange: { targetChangeType: 'CURRENT', targetIds: [targetId], resumeToken: resume, readTime: at } });
    this.#settle();
  }

  tell(paths: readonly string[]): void {
    for (const path of paths) this.#document(path);
    this.#settle();
  }

  #document(path: string): void {
    const group = path.split('/').at(-2);
    for (const [targetId, collectionId] of this.#groups) {
      if (collectionId !== group) continue;
      const document = this.#store.document(path);
      const readTime = timeOf(this.#store.now());
      if (document) this.#send({ documentChange: { document, targetIds: [targetId] } });
      else this.#send({ documentDelete: { document: `${root}/${path}`, readTime, removedTargetIds: [targetId] } });
    }
  }

  #settle(): void {
    const now = this.#store.now();
    this.#send({ targetChange: { resumeToken: Buffer.from(String(now)), readTime: timeOf(now) } });
  }

  #send(message: object): void {
    if (!this.#call.cancelled && !this.#call.destroyed) this.#call.write(message);
  }
}
