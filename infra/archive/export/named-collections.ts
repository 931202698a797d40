import { escapeName } from '../escape-output.ts';
import { unusable } from '../failure.ts';

/** The collections that an export was asked for, and which of them had a document. */
export class NamedCollections {
  readonly #asked: number;
  readonly #missing: Set<string>;

  /** None means all. */
  constructor(paths: readonly string[]) {
    this.#missing = new Set(paths);
    this.#asked = this.#missing.size;
  }

  /** `path` is that of an exported document. */
  add(path: string): void {
    for (const collection of this.#missing) if (path.startsWith(`${collection}/`)) this.#missing.delete(collection);
  }

  get missing(): readonly string[] {
    return [...this.#missing].map(escapeName);
  }

  /** An export of nothing that was asked for is not a success. */
  assertFound(): void {
    if (this.#asked > 0 && this.#missing.size === this.#asked)
      throw unusable(`the backup has none of the requested collections: ${this.missing.join(', ')}`);
  }
}
