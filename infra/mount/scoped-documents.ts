import {
  type BaseDocuments,
  below,
  depth,
  type PathKey,
  pathKey,
  type ScanOptions,
  type StoredDocument,
} from '../local/engines/firestore/index.ts';

/** The part of a backup that is served. */
export interface MountScope {
  /** Their paths, such as `users` or `users/ada/orders`. */
  readonly collections: readonly string[];
  /** With everything below their documents. */
  readonly includeSubcollections: boolean;
}

interface KeyRange {
  readonly from: PathKey;
  readonly to: PathKey;
}

/** The documents of some collections. All others are absent, as if the backup had never had them, and are not read. */
export class ScopedDocuments implements BaseDocuments {
  readonly #documents: BaseDocuments;
  readonly #collections: readonly (KeyRange & { readonly segments: number | undefined })[];
  /** In key order, without those that lie within others. */
  readonly #ranges: readonly KeyRange[];

  constructor(documents: BaseDocuments, { collections, includeSubcollections }: MountScope) {
    this.#documents = documents;
    this.#collections = collections.map((path) => {
      const key = pathKey(path);
      return { ...below(key), segments: includeSubcollections ? undefined : depth(key) + 1 };
    });
    this.#ranges = outermost(this.#collections);
  }

  async get(key: PathKey): Promise<StoredDocument | undefined> {
    return this.#has(key) ? this.#documents.get(key) : undefined;
  }

  async *scan(from: PathKey, to: PathKey, options: ScanOptions): AsyncGenerator<readonly StoredDocument[], void, undefined> {
    for (const range of options.backwards ? this.#ranges.toReversed() : this.#ranges) {
      const [first, end] = [larger(from, range.from), smaller(to, range.to)];
      if (first >= end) continue;
      for await (const batch of this.#documents.scan(first, end, options)) yield batch.filter(({ key }) => this.#has(key));
    }
  }

  #has(key: PathKey): boolean {
    return this.#collections.some(
      ({ from, to, segments }) => from <= key && key < to && (segments === undefined || depth(key) === segments),
    );
  }
}

/** What a scope leaves out, for a person. */
export const scopeWords = ({ collections, includeSubcollections }: MountScope): string =>
  `Only ${collections.join(', ')} ${collections.length === 1 ? 'is' : 'are'} served, ${includeSubcollections ? 'with' : 'without'} what is below the documents. Everything else is absent`;

const outermost = (ranges: readonly KeyRange[]): readonly KeyRange[] => {
  const kept: KeyRange[] = [];
  for (const range of [...ranges].sort((a, b) => (a.from < b.from ? -1 : 1)))
    if (range.from >= (kept.at(-1)?.to ?? '')) kept.push(range);
  return kept;
};

const larger = (a: PathKey, b: PathKey): PathKey => (a > b ? a : b);
const smaller = (a: PathKey, b: PathKey): PathKey => (a < b ? a : b);
