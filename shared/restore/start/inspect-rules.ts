import type { Archive } from '../../archive/index.ts';
import { DocumentMasker, RuleSet, type TransformCounts, TransformTally } from '../../mask/index.ts';
import { jsonBytes, secureRandomBytes, takeWithinBytes } from '../../platform/index.ts';
import { ArchiveCursor } from '../../stored-backup/index.ts';
import type { RestoreScope } from '../scope/restore-scope.ts';
import { documentForm } from '../transform/document-form.ts';
import type { RestoreTransform } from '../transform/restore-transform.ts';
import { type PreviewedDocument, previewDocument } from './preview-document.ts';

const previewMax = 10;
/** The response is stored for idempotent retries in an item of 400 KB. */
const previewMaxBytes = 144 << 10;
const documentMaxBytes = 12 << 10;
/** Documents between two checks of the clock. */
const lookEvery = 64;

interface InspectOptions {
  readonly transform: RestoreTransform;
  readonly scope: RestoreScope;
  /** The database of the target, `projects/p/databases/d`. */
  readonly to: string;
  readonly isOver: () => boolean;
  /** How many documents the preview may show, at most ten; none if the rules are only counted. */
  readonly previewed: number;
}

interface Inspection {
  /** Exact if `isWhole`; otherwise of the documents that were read. */
  readonly counts: TransformCounts;
  /** Whether every document in scope was read. */
  readonly isWhole: boolean;
  readonly preview: readonly PreviewedDocument[];
}

/**
 * Applies the rules to documents of a backup, with a key of its own, until all rules were seen at work, the preview is full or the
 * time is up. Documents that show another rule are preferred.
 */
export const inspectRules = async (archive: Archive, options: InspectOptions): Promise<Inspection> => {
  const { transform, scope, to, isOver, previewed } = options;
  const { rules, allowUnmatched } = transform;
  const masker = new DocumentMasker(new RuleSet(rules), secureRandomBytes(32));
  const formOf = documentForm({ from: archive.manifest.source, to, masker });
  const tally = new TransformTally(rules.length);
  const preview = new PreviewChoice(Math.min(previewed, previewMax));
  const cursor = new ArchiveCursor(archive, scope.ranges, { withBodies: true });
  let isWhole = true;
  try {
    await cursor.load();
    for (let n = 1; cursor.name; n++) {
      const path = cursor.name.toString();
      if (!scope.wants || scope.wants(path)) {
        const before = await cursor.content();
        const after = formOf(before, { path });
        const masked = masker.last;
        tally.add(masked);
        if (masked.fields > 0 && preview.wants(masked.rules))
          preview.add(previewDocument({ path, before, after, masked, rules }, documentMaxBytes), masked.rules);
      }
      const isSeen = allowUnmatched || tally.areAllMatched;
      if ((isSeen && preview.isFull) || (n % lookEvery === 0 && isOver())) {
        isWhole = false;
        break;
      }
      if (!cursor.step()) await cursor.load();
    }
  } finally {
    await cursor.close();
  }
  return { counts: tally.counts, isWhole, preview: preview.documents };
};

/** The documents of a preview: each that shows a new rule, then the first others. */
class PreviewChoice {
  readonly #max: number;
  readonly #shown = new Set<number>();
  readonly #chosen: PreviewedDocument[] = [];
  readonly #others: PreviewedDocument[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#chosen.length + this.#others.length >= this.#max;
  }

  get documents(): readonly PreviewedDocument[] {
    const limits = { sizeOf: jsonBytes, maxBytes: previewMaxBytes, maxCount: this.#max };
    return takeWithinBytes([...this.#chosen, ...this.#others], limits).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  wants(rules: ReadonlySet<number>): boolean {
    return this.#chosen.length < this.#max && (!this.isFull || !rules.isSubsetOf(this.#shown));
  }

  add(document: PreviewedDocument, rules: ReadonlySet<number>): void {
    const list = rules.isSubsetOf(this.#shown) ? this.#others : this.#chosen;
    for (const rule of rules) this.#shown.add(rule);
    list.push(document);
  }
}
