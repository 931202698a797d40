import { ArchiveError, DocumentSkim } from '../../archive/index.ts';
import type { FirestoreDatabase } from '../firestore-database.ts';
import { FrameBuffer } from '../grpc/frame-buffer.ts';
import type { GrpcStream } from '../grpc/grpc-stream.ts';
import { SourceError } from '../grpc/source-error.ts';
import { RpcError, statusOf } from '../grpc/status.ts';
import type { RawDocument } from '../wire/response-skim.ts';
import { fieldsOf } from '../wire/small-messages.ts';
import { addDocument, addTarget, type ListenTarget, removeTarget } from './listen-request.ts';
import { existenceFilter, goneDocument, responseKinds, type TargetChange, targetChange } from './listen-response.ts';

/** Missed changes can no longer be replayed: the listener must start over with a full read. */
export class ResumeTokenLost extends Error {}

/** Receives the events of a stream. The bytes of a document are valid only during the call; each change is billed as a read. */
export interface Listener {
  changed(bytes: Buffer, document: RawDocument): void;
  /** `seenAt` is when the source observed the deletion, if known. */
  gone(name: string, seenAt: string | undefined): void;
  /** Existence filter: the current number of documents of a target. The source may have missed deletions. */
  counted(targetId: number, count: number): void;
  /** All changes of all targets up to a time were delivered. */
  settled(settled: ConsistentPoint): void;
  /** Called between messages; applies backpressure. */
  rest(): Promise<void>;
}

/** All changes up to `readTime` were delivered for every target; `token` resumes from here. */
export interface ConsistentPoint {
  readonly readTime: string;
  readonly token: Buffer;
  /** Whether all time requests were answered. */
  readonly isAnswered: boolean;
}

/** Firestore allows 100 targets per stream; one is reserved for requesting the time. */
export const targetsMax = 99;
/** Target ids of time requests follow all others. */
const firstTimeRequestId = 1 << 20;

interface OpenedCall {
  readonly call: GrpcStream;
  readonly send: (request: Buffer) => void;
  readonly buffer: FrameBuffer;
}

/**
 * One Listen stream of several collection groups. It is consistent once every target is current and a read time was sent for all
 * of them.
 */
export class ListenCall {
  readonly #source: FirestoreDatabase;
  readonly #call: GrpcStream;
  readonly #send: (request: Buffer) => void;
  readonly #buffer: FrameBuffer;
  readonly #skim = new DocumentSkim();
  /** Added targets that are not current yet. */
  readonly #pending = new Set<number>();
  /** Targets added only to request the time, until they are removed; `#open` are those that are not current yet. */
  readonly #timeRequests = new Set<number>();
  readonly #open = new Set<number>();
  #timeRequestCount = 0;
  #timeRequestName: string | undefined;
  #isClosed = false;

  private constructor(source: FirestoreDatabase, { call, send, buffer }: OpenedCall) {
    this.#source = source;
    this.#call = call;
    this.#send = send;
    this.#buffer = buffer;
  }

  static async open(
    source: FirestoreDatabase,
    options: { refresh: boolean; signal: AbortSignal | undefined },
  ): Promise<ListenCall> {
    const buffer = new FrameBuffer(256 << 10);
    const opened = await source.startStreamingCall('Listen', buffer, { ...options, wantedBytes: 1 });
    return new ListenCall(source, { ...opened, buffer });
  }

  add(target: ListenTarget): void {
    this.#pending.add(target.id);
    this.#send(addTarget(this.#source.database, target));
  }

  /**
   * Requests a read time, because an idle stream sends none. Listens to a document that does not exist, billed as one read; its
   * name must be random.
   */
  askTime(name: string): void {
    const id = firstTimeRequestId + this.#timeRequestCount;
    this.#timeRequestCount += 1;
    this.#timeRequestName = name;
    this.#timeRequests.add(id);
    this.#open.add(id);
    this.#send(addDocument(this.#source.database, name, id));
  }

  /** Receives until the stream fails; throws the reason. */
  async hear(listener: Listener): Promise<never> {
    for (;;) {
      const { bytes } = this.#buffer;
      this.#buffer.drop(this.#buffer.forEachMessage((start, end) => this.#message(bytes.subarray(start, end), listener)));
      if (this.#call.isOver) throw this.#failure();
      await listener.rest();
      await this.#call.wait();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#call.cancel();
  }

  /** A Listen stream never ends successfully, except when closed here. */
  #failure(): RpcError {
    const failure = this.#call.failure ?? new RpcError('UNAVAILABLE', 'The source ended the Listen stream.');
    if (!this.#isClosed) this.#call.suspect(failure);
    return failure;
  }

  #message(message: Buffer, listener: Listener): void {
    for (const { field, bytes } of fieldsOf(message)) {
      if (field === responseKinds.target) this.#target(targetChange(bytes), listener);
      else if (field === responseKinds.changed) this.#changed(bytes, listener);
      else if (field === responseKinds.deleted) this.#gone(bytes, listener);
      // Removed without a deletion: the current state is unknown.
      else if (field === responseKinds.removed) throw new ResumeTokenLost('the source removed a document without a deletion');
      else if (field === responseKinds.filter) {
        const { targetId, count } = existenceFilter(bytes);
        listener.counted(targetId, count);
      }
    }
  }

  #changed(bytes: Buffer, listener: Listener): void {
    try {
      if (!this.#skim.readWithin(bytes, 0, bytes.length) || this.#skim.nameEnd === this.#skim.nameStart)
        throw new ArchiveError('record-invalid', 'the document has no name');
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      throw new RpcError('INTERNAL', 'The source sent an invalid document.', { cause: error });
    }
    listener.changed(bytes, this.#skim);
  }

  #gone(bytes: Buffer, listener: Listener): void {
    const { name, seenAt } = goneDocument(bytes);
    if (name !== this.#timeRequestName) listener.gone(name, seenAt);
  }

  #target({ kind, targetIds, cause, token, readTime }: TargetChange, listener: Listener): void {
    const isTimeRequest = targetIds.length > 0 && targetIds.every((id) => this.#timeRequests.has(id));
    // No target ids means all targets.
    if (kind === 'CURRENT')
      for (const id of targetIds.length > 0 ? targetIds : [...this.#pending, ...this.#open]) this.#isCurrent(id);
    else if (kind === 'RESET' && !isTimeRequest) throw new ResumeTokenLost('the source reset a target');
    else if (kind === 'REMOVE' && isTimeRequest && !cause) for (const id of targetIds) this.#timeRequests.delete(id);
    else if (kind === 'REMOVE') throw removed(cause);
    else if (kind === 'NO_CHANGE' && targetIds.length === 0 && this.#pending.size === 0 && token && readTime !== undefined)
      listener.settled({ readTime, token, isAnswered: this.#open.size === 0 });
  }

  #isCurrent(id: number): void {
    this.#pending.delete(id);
    if (this.#open.delete(id)) this.#send(removeTarget(this.#source.database, id));
  }
}

/** A rejected token cannot be resumed from; any other cause is classified like a failed call. */
const removed = (cause: TargetChange['cause']): Error => {
  if (!cause) return new ResumeTokenLost('the source removed a target');
  const status = statusOf(cause.code);
  if (status === 'INVALID_ARGUMENT' || status === 'FAILED_PRECONDITION' || status === 'OUT_OF_RANGE')
    return new ResumeTokenLost(`the source rejected the resume token: ${status}`);
  if (status === 'NOT_FOUND') return new SourceError('SOURCE_AUTH_ERROR', 'There is no project or database of this id.');
  return new RpcError(status, cause.message);
};
