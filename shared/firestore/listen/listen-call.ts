import { ArchiveError, DocumentSkim } from '../../archive/index.ts';
import type { FirestoreDatabase } from '../firestore-database.ts';
import { FrameBuffer, headerBytes } from '../grpc/frame-buffer.ts';
import type { GrpcStream } from '../grpc/grpc-stream.ts';
import { SourceError } from '../grpc/source-error.ts';
import { RpcError, statusOf } from '../grpc/status.ts';
import type { RawDocument } from '../wire/response-skim.ts';
import { fieldsOf } from '../wire/small-messages.ts';
import { addDocument, addTarget, type ListenTarget, removeTarget } from './listen-request.ts';
import { answerKinds, existenceFilter, goneDocument, type TargetChange, targetChange } from './listen-response.ts';

/** What was missed can no longer be told: whoever listens must begin anew with all that is there. */
export class ResumeTokenLost extends Error {}

/** Who hears what a stream tells. The bytes of a document are valid within the call only; each is billed as a read. */
export interface Listener {
  changed(bytes: Buffer, document: RawDocument): void;
  /** `seenAt` is when the source noticed, if it says so. */
  gone(name: string, seenAt: string | undefined): void;
  /** How many documents a target has by now: the source is not sure that it told of each that is gone. */
  counted(targetId: number, count: number): void;
  /** Everything that happened up to a time was told, of all targets. */
  settled(settled: ConsistentPoint): void;
  /** Called between messages: waits where what was heard is not taken fast enough. */
  rest(): Promise<void>;
}

/** Up to here everything was told, to every target; the token goes on from here. */
export interface ConsistentPoint {
  readonly readTime: string;
  readonly token: Buffer;
  /** Whether the source has answered all that it was asked. */
  readonly isAnswered: boolean;
}

/** The service takes no more of them on one stream, and one is kept for asking the time. */
export const targetsMax = 99;
/** The ids of what is asked to be told the time come after all others. */
const firstQuestion = 1 << 20;

/**
 * One Listen stream of several collection groups. Nothing is proven before every target is current and a time was told of them
 * all: only then was everything heard that happened up to it.
 */
export class ListenCall {
  readonly #source: FirestoreDatabase;
  readonly #call: GrpcStream;
  readonly #ask: (request: Buffer) => void;
  readonly #buffer: FrameBuffer;
  readonly #skim = new DocumentSkim();
  /** Targets that were asked for and are not current. */
  readonly #pending = new Set<number>();
  /** Targets that were asked for only to be told a time, until they are gone again; and those that are not current. */
  readonly #questions = new Set<number>();
  readonly #open = new Set<number>();
  #asked = 0;
  #question: string | undefined;
  #isClosed = false;

  private constructor(source: FirestoreDatabase, call: GrpcStream, ask: (request: Buffer) => void, buffer: FrameBuffer) {
    this.#source = source;
    this.#call = call;
    this.#ask = ask;
    this.#buffer = buffer;
  }

  static async open(
    source: FirestoreDatabase,
    options: { refresh: boolean; signal: AbortSignal | undefined },
  ): Promise<ListenCall> {
    const buffer = new FrameBuffer(256 << 10);
    const { call, ask } = await source.startStreamingCall('Listen', buffer, { ...options, wantedBytes: 1 });
    return new ListenCall(source, call, ask, buffer);
  }

  add(target: ListenTarget): void {
    this.#pending.add(target.id);
    this.#ask(addTarget(this.#source.database, target));
  }

  /**
   * Has the source tell up to when everything was told: a stream on which nothing happens says nothing. Asks for a document that
   * nobody has, which is billed as a read; its name must be one of chance.
   */
  askTime(name: string): void {
    const id = firstQuestion + this.#asked;
    this.#asked += 1;
    this.#question = name;
    this.#questions.add(id);
    this.#open.add(id);
    this.#ask(addDocument(this.#source.database, name, id));
  }

  /** Hears for as long as the stream lasts, which has no good end: throws why it is over. */
  async hear(listener: Listener): Promise<never> {
    for (;;) {
      this.#buffer.drop(this.#take(listener));
      if (this.#call.isOver) throw this.#failure();
      await listener.rest();
      await this.#call.wait();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#call.cancel();
  }

  /** A stream of this kind has no good end, but for ours. */
  #failure(): RpcError {
    const failure = this.#call.failure ?? new RpcError('UNAVAILABLE', 'The source ended a stream that has no end.');
    if (!this.#isClosed) this.#call.suspect(failure);
    return failure;
  }

  /** Tells of every message that is whole; answers where the rest begins. */
  #take(listener: Listener): number {
    const { bytes } = this.#buffer;
    let at = 0;
    for (let end = this.#buffer.frameEnd(at); end !== undefined; end = this.#buffer.frameEnd(at)) {
      this.#message(bytes.subarray(at + headerBytes, end), listener);
      at = end;
    }
    return at;
  }

  #message(message: Buffer, listener: Listener): void {
    for (const { field, bytes } of fieldsOf(message)) {
      if (field === answerKinds.target) this.#target(targetChange(bytes), listener);
      else if (field === answerKinds.changed) this.#changed(bytes, listener);
      else if (field === answerKinds.deleted) this.#gone(bytes, listener);
      // Not deleted, and no longer shown: nobody can tell what it is by now.
      else if (field === answerKinds.removed) throw new ResumeTokenLost('the source no longer shows a document');
      else if (field === answerKinds.filter) {
        const { targetId, count } = existenceFilter(bytes);
        listener.counted(targetId, count);
      }
    }
  }

  #changed(bytes: Buffer, listener: Listener): void {
    try {
      if (!this.#skim.readWithin(bytes, 0, bytes.length) || this.#skim.nameEnd === this.#skim.nameStart)
        throw new ArchiveError('record-invalid', 'a document without a name');
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      throw new RpcError('INTERNAL', 'The source sent what is no document.', { cause: error });
    }
    listener.changed(bytes, this.#skim);
  }

  #gone(bytes: Buffer, listener: Listener): void {
    const { name, seenAt } = goneDocument(bytes);
    if (name !== this.#question) listener.gone(name, seenAt);
  }

  #target({ kind, targetIds, cause, token, readTime }: TargetChange, listener: Listener): void {
    const isQuestion = targetIds.length > 0 && targetIds.every((id) => this.#questions.has(id));
    // Said of none, it is said of all.
    if (kind === 'CURRENT')
      for (const id of targetIds.length > 0 ? targetIds : [...this.#pending, ...this.#open]) this.#isCurrent(id);
    else if (kind === 'RESET' && !isQuestion) throw new ResumeTokenLost('the source began anew with all documents');
    else if (kind === 'REMOVE' && isQuestion && !cause) for (const id of targetIds) this.#questions.delete(id);
    else if (kind === 'REMOVE') throw removed(cause);
    else if (kind === 'NO_CHANGE' && targetIds.length === 0 && this.#pending.size === 0 && token && readTime !== undefined)
      listener.settled({ readTime, token, isAnswered: this.#open.size === 0 });
  }

  #isCurrent(id: number): void {
    this.#pending.delete(id);
    if (this.#open.delete(id)) this.#ask(removeTarget(this.#source.database, id));
  }
}

/** A token that is no good means that nothing can be gone on from; anything else is judged as a failed call is. */
const removed = (cause: TargetChange['cause']): Error => {
  if (!cause) return new ResumeTokenLost('the source dropped a collection');
  const status = statusOf(cause.code);
  if (status === 'INVALID_ARGUMENT' || status === 'FAILED_PRECONDITION' || status === 'OUT_OF_RANGE')
    return new ResumeTokenLost(`the source does not go on from where it was left: ${status}`);
  if (status === 'NOT_FOUND') return new SourceError('SOURCE_AUTH_ERROR', 'The source has no such database.');
  return new RpcError(status, cause.message);
};
