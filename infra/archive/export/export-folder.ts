import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import type { ExportSink } from '../../../shared/export-format/index.ts';
import { unusable } from '../failure.ts';

/** Bytes of all files that wait to be written. */
const bufferBytes = 4 << 20;

/**
 * A folder with the files of an export. It appears under its name once it is complete; until then it is `<name>.partial`, which a failed
 * export deletes. It holds customer data: only its owner can read it.
 */
export class ExportFolder implements ExportSink {
  readonly #path: string;
  readonly #partial: string;
  readonly #waiting = new Map<string, Uint8Array[]>();
  #bytes = 0;
  #isPartial = true;

  constructor(path: string, { force }: { readonly force: boolean }) {
    this.#path = path;
    this.#partial = `${path}.partial`;
    this.#orUnusable(() => {
      if (existsSync(path)) throw unusable(`${path}: already exists`);
      if (force) rmSync(this.#partial, { recursive: true, force: true });
      if (existsSync(this.#partial)) throw unusable(`${this.#partial}: already exists; --force replaces it`);
      mkdirSync(this.#partial, { mode: 0o700 });
    });
    process.once('exit', () => this.abort());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }

  /** Appends to a file of the folder, which it makes. */
  append(file: string, bytes: Uint8Array): void {
    const waiting = this.#waiting.get(file);
    if (waiting) waiting.push(bytes);
    else this.#waiting.set(file, [bytes]);
    this.#bytes += bytes.length;
    if (this.#bytes >= bufferBytes) this.#flush();
  }

  /** All files are written together with the rest of the folder. */
  end(): void {}

  finish(): void {
    this.#flush();
    this.#orUnusable(() => renameSync(this.#partial, this.#path));
    this.#isPartial = false;
  }

  abort(): void {
    if (this.#isPartial) rmSync(this.#partial, { recursive: true, force: true });
    this.#isPartial = false;
  }

  #flush(): void {
    for (const [file, parts] of this.#waiting) {
      const path = join(this.#partial, file);
      this.#orUnusable(() => {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        appendFileSync(path, Buffer.concat(parts), { mode: 0o600 });
      });
    }
    this.#waiting.clear();
    this.#bytes = 0;
  }

  #orUnusable(work: () => void): void {
    try {
      work();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw typeof code === 'string' ? unusable(`${this.#path}: ${code}`, error) : error;
    }
  }
}
