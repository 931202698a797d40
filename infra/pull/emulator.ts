import { fetchTrusted } from '../../shared/platform/index.ts';
import { unusable } from '../archive/failure.ts';

/** A write as the REST API of Firestore takes it, in JSON. */
export interface EncodedWrite {
  readonly json: string;
  readonly bytes: number;
}

/** The limits of one commit. */
const writesMax = 500;
const bytesMax = 8 << 20;
/** Google's emulator, on a busy machine, may take its time for a large commit. */
const timeoutMs = 60_000;

/** Writes documents to a running emulator through the REST API, which Google's emulator and the embedded Firestore both have. */
export class Emulator {
  readonly #url: string;
  #writes: EncodedWrite[] = [];
  #bytes = 0;
  /** Documents that were acknowledged. */
  written = 0;

  /** `address` is `host:port`, `database` is `projects/p/databases/d`. */
  constructor(address: string, database: string) {
    this.#url = `http://${address}/v1/${database}/documents:commit`;
  }

  async set(write: EncodedWrite): Promise<void> {
    if (this.#writes.length === writesMax || this.#bytes + write.bytes > bytesMax) await this.flush();
    this.#writes.push(write);
    this.#bytes += write.bytes;
  }

  async flush(): Promise<void> {
    const writes = this.#writes;
    if (writes.length === 0) return;
    this.#writes = [];
    this.#bytes = 0;
    await this.#commit(`{"writes":[${writes.map(({ json }) => json).join(',')}]}`);
    this.written += writes.length;
  }

  /** Fails unless an emulator answers, before anything is read for it. */
  async check(): Promise<void> {
    await this.#commit('{"writes":[]}');
  }

  async #commit(body: string): Promise<void> {
    // `owner` is the token with which emulators let everything pass their security rules.
    const headers = { authorization: 'Bearer owner', 'content-type': 'application/json' };
    const response = await fetchTrusted(this.#url, { method: 'POST', headers, body }, timeoutMs).catch((error: Error) => {
      const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
      throw unusable(`no emulator answers at ${new URL(this.#url).host}: ${code ?? error.message}`, error);
    });
    const text = await response.text();
    if (!response.ok) throw unusable(`the emulator refused the documents: HTTP ${response.status} ${messageOf(text)}`);
  }
}

const messageOf = (text: string): string => {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message ?? '';
  } catch {
    return '';
  }
};
