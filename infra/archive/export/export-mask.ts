import { DocumentMasker, type ParsedRules, TransformTally, unmatchedReason, unmatchedRules } from '../../../shared/mask/index.ts';
import { secureRandomBytes } from '../../../shared/platform/index.ts';
import { unusable } from '../failure.ts';
import { readMaskRules } from '../mask-rules.ts';

/** Masks the documents of one export. Its key is random and never stored: two exports of one backup differ. */
export class ExportMask {
  readonly #rules: ParsedRules;
  readonly #masker: DocumentMasker;
  readonly #tally: TransformTally;

  private constructor(rules: ParsedRules) {
    this.#rules = rules;
    this.#masker = new DocumentMasker(rules.set, secureRandomBytes(32));
    this.#tally = new TransformTally(rules.rules.length);
  }

  static read(file: string): ExportMask {
    return new ExportMask(readMaskRules(file));
  }

  apply(document: Uint8Array, path: string): Uint8Array {
    const masked = this.#masker.mask(document, path);
    this.#tally.add(this.#masker.last);
    return masked;
  }

  /** A rule that finds no field is most likely misspelled, and what it should hide would be exported. */
  assertMatched(): void {
    const unmatched = unmatchedRules(this.#rules.rules, this.#tally.counts);
    if (unmatched.length > 0 && !this.#rules.allowUnmatched) throw unusable(`--mask: ${unmatchedReason(unmatched, 'export')}`);
  }
}
