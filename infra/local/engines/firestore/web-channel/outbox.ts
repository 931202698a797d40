/** A message to the client: its number, and `[payload]` as text. */
interface Sent {
  readonly id: number;
  readonly text: string;
}

/** The numbered messages that the client has not acknowledged. They are sent again on its next connection. */
export class Outbox {
  #waiting: Sent[] = [];
  #lastId = 0;
  #size = 0;

  get lastId(): number {
    return this.#lastId;
  }

  /** Characters of the messages. */
  get size(): number {
    return this.#size;
  }

  add(text: string): void {
    this.#lastId += 1;
    this.#size += text.length;
    this.#waiting.push({ id: this.#lastId, text });
  }

  /** The client has all messages up to this one. */
  acknowledge(id: number): void {
    const kept = this.#waiting.filter((one) => one.id > id);
    this.#size = kept.reduce((size, { text }) => size + text.length, 0);
    this.#waiting = kept;
  }

  /** All messages after this one as one array; undefined if there is none. */
  after(id: number): string | undefined {
    const texts = this.#waiting.filter((one) => one.id > id).map((one) => `[${one.id},${one.text}]`);
    return texts.length === 0 ? undefined : `[${texts.join(',')}]`;
  }
}
