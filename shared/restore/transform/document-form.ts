import { referenceRewriter } from '../../firestore/index.ts';
import type { DocumentMasker } from '../../mask/index.ts';

interface FormOptions {
  /** Databases of the backup and of the target, `projects/p/databases/d`. */
  readonly from: string;
  readonly to: string;
  readonly masker?: DocumentMasker | undefined;
}

/**
 * How a document of the backup is written to the target: masked, with its name and references in the target. Only a masked copy reads
 * the path.
 */
export const documentForm = ({
  from,
  to,
  masker,
}: FormOptions): ((document: Uint8Array, of: { readonly path: Buffer | string }) => Buffer) => {
  const rewrite = referenceRewriter(from, to);
  return masker ? (document, { path }) => rewrite(masker.mask(document, path)) : rewrite;
};
