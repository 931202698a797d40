import { readFileSync } from 'node:fs';
import {
  DocumentMasker,
  type ParsedRules,
  parseRules,
  TransformTally,
  unmatchedReason,
  unmatchedRules,
} from '../../../shared/mask/index.ts';
import { secureRandomBytes } from '../../../shared/platform/index.ts';
import { unusable } from '../failure.ts';

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
    try {
      return new ExportMask(parseRules(JSON.parse(readFileSync(file, 'utf8'))));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw unusable(`--mask ${file}: ${typeof code === 'string' ? code : message}`, error);
    }
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
