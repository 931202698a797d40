import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocumentMasker, type ParsedRules, TransformTally, unmatchedRules } from '../../shared/mask/index.ts';
import { secureRandomBytes } from '../../shared/platform/index.ts';
import { unusable } from '../archive/failure.ts';
import { readMaskRules } from '../archive/mask-rules.ts';
import { RpcError } from '../local/engines/firestore/index.ts';
import type { DocumentForm } from './shown-documents.ts';

/** Masks what clients are shown of a mount. The same value has the same mask as long as the mount, or its overlay, exists. */
export class MountMask {
  readonly #rules: ParsedRules;
  readonly #tally: TransformTally;

  private constructor(rules: ParsedRules) {
    this.#rules = rules;
    this.#tally = new TransformTally(rules.rules.length);
  }

  static read(file: string): MountMask {
    return new MountMask(readMaskRules(file));
  }

  /** Tells sets of rules apart. */
  get digest(): string {
    return createHash('sha256').update(JSON.stringify(this.#rules.rules)).digest('hex').slice(0, 16);
  }

  /** The key is random; that of an overlay is kept beside what was written above masked documents. */
  formOf(overlay: string | undefined): DocumentForm {
    const masker = new DocumentMasker(this.#rules.set, overlay === undefined ? secureRandomBytes(32) : keyIn(overlay));
    return (document, path) => {
      try {
        const masked = masker.mask(document, path);
        this.#tally.add(masker.last);
        return masked;
      } catch (error) {
        // Never the document itself.
        throw new RpcError('DATA_LOSS', `${path} cannot be masked: ${(error as Error).message}`);
      }
    };
  }

  /** Rules that found no field in what was read so far: they may be misspelled. */
  get unmatched(): number {
    return unmatchedRules(this.#rules.rules, this.#tally.counts).length;
  }
}

const keyIn = (overlay: string): Uint8Array => {
  const file = join(overlay, 'mask-key');
  if (!existsSync(file)) writeFileSync(file, secureRandomBytes(32), { mode: 0o600 });
  const key = readFileSync(file);
  if (key.length !== 32) throw unusable(`${file} is incomplete: choose another folder`);
  return key;
};
