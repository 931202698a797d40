import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const pieceCharacters = 1 << 20;

/**
 * JSON values in a file that only its owner reads, until it is closed: what is counted first is not read twice, whatever its size.
 */
export class Spool {
  readonly #folder = mkdtempSync(join(tmpdir(), 'bms-pull-'));
  readonly #path = join(this.#folder, 'documents.ndjson');
  readonly #file = openSync(this.#path, 'w', 0o600);
  #waiting = '';

  add(json: string): void {
    this.#waiting += `${json.replace(/[\u2028\u2029]/g, escaped)}\n`;
    if (this.#waiting.length >= pieceCharacters) this.#write();
  }

  /** The values that were added. */
  async *values(): AsyncGenerator<string, void, undefined> {
    this.#write();
    yield* createInterface({ input: createReadStream(this.#path), crlfDelay: Number.POSITIVE_INFINITY });
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(): void {
    writeFileSync(this.#file, this.#waiting);
    this.#waiting = '';
  }
}

/** Texts may contain separators that `readline` takes for line feeds. */
const escaped = (separator: string): string => (separator === '\u2028' ? '\\u2028' : '\\u2029');
