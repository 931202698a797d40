import { DocumentSkim } from '../../archive/index.ts';

/** Creation and update of an encoded document, in microseconds. */
export const documentTimes = (document: Uint8Array): { readonly created: number; readonly updated: number } => {
  const skim = new DocumentSkim();
  skim.read(document, 0, document.length);
  return {
    created: skim.createdSeconds * 1_000_000 + Math.floor(skim.createdNanos / 1_000),
    updated: skim.updatedSeconds * 1_000_000 + Math.floor(skim.updatedNanos / 1_000),
  };
};
