import type { TransformRule } from '../../contract/models/transform.ts';
import type { TransformCounts } from '../../mask/index.ts';

/** The rules of a masked copy. */
export interface RestoreTransform {
  readonly rules: readonly TransformRule[];
  readonly allowUnmatched: boolean;
}

/** Fields of the records of a masked copy. */
export interface MaskedFields {
  readonly transform?: RestoreTransform;
  /** What the rules change; of a restore, once its check is complete. */
  readonly transformed?: TransformCounts;
}
