/** Which leaves a search need not read: those whose filters say that no document in them meets one of its conditions. */
import { type Archive, LeafFilters, type Segment, type WantedValue, wantedId, wantedValue } from '../../archive/index.ts';
import type { ErasureFilter } from '../../firestore/index.ts';
import { log } from '../../platform/index.ts';
import { keyOfCondition } from './document-matcher.ts';
import type { SearchQuery } from './parse-query.ts';

export class LeafSkipper {
  readonly #archive: Archive;
  readonly #erasures: ErasureFilter | undefined;
  readonly #filters: LeafFilters;
  readonly #wanted: readonly WantedValue[];
  /** Values by which documents are erased. */
  readonly #erased: readonly WantedValue[];
  /** Whether a filter has said something about a leaf. */
  isIndexed = false;

  constructor(
    { archive, erasures }: { readonly archive: Archive; readonly erasures: ErasureFilter | undefined },
    query: SearchQuery,
  ) {
    this.#archive = archive;
    this.#erasures = erasures;
    this.#filters = new LeafFilters(archive, ({ backup, name }, cause) =>
      log.warn('filters of a backup cannot be read; its leaves are searched instead', { backup, name, cause: String(cause) }),
    );
    const hasFilters = (archive.manifest.filters ?? []).length > 0;
    this.#wanted = hasFilters ? wantedBy(query, archive.documentsRoot) : [];
    this.#erased = (erasures?.values ?? []).map(({ field, key }) => wantedValue(field, key));
  }

  /** Whether filters can say anything about this search. */
  get isApplicable(): boolean {
    return this.#wanted.length > 0;
  }

  /** Of the filters. */
  get bytesRead(): number {
    return this.#filters.bytesRead;
  }

  /** `next` is the first name of the next segment. */
  async canSkip(segment: Segment, next: Uint8Array | undefined): Promise<boolean> {
    let isAbsent = false;
    for (const wanted of this.#wanted) {
      const verdict = await this.#filters.verdictOn(segment, wanted);
      this.isIndexed ||= verdict !== 'unknown';
      isAbsent ||= verdict === 'absent';
    }
    return isAbsent && !(this.#archive.isFiltered && (await this.#mayHaveErased(segment, next)));
  }

  /**
   * Which leaves are read must not tell what erased documents had: a leaf that may hold one is read, whatever is searched for. A part of
   * a leaf does not tell which names the others have.
   */
  async #mayHaveErased(segment: Segment, next: Uint8Array | undefined): Promise<boolean> {
    if (!this.#erasures || segment.count < segment.records || this.#erasures.namesWithin(segment.first, next)) return true;
    for (const value of this.#erased) if ((await this.#filters.verdictOn(segment, value)) !== 'absent') return true;
    return false;
  }
}

const wantedBy = (query: SearchQuery, documentsRoot: string): readonly WantedValue[] => {
  if (query.kind === 'path') return [];
  if (query.kind === 'id') return [wantedId(query.id)];
  return query.conditions.flatMap((condition) =>
    condition.kind === 'compare' && condition.comparison === '=='
      ? [wantedValue(condition.field, keyOfCondition(condition, documentsRoot))]
      : [],
  );
};
