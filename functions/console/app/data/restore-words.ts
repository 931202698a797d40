/** What the modes and phases of a restore mean, in words. */
import type { MergeMode, Restore } from './restores.ts';

interface ModeWords {
  readonly name: string;
  readonly what: string;
  readonly consequence: string;
}

export const modeWords: Readonly<Record<MergeMode, ModeWords>> = {
  overwrite: {
    name: 'Replace',
    what: 'Writes every document that is missing or differs.',
    consequence:
      'A document that exists is replaced as a whole: newer changes and newer fields in it are lost. No document is deleted.',
  },
  skip_existing: {
    name: 'Only what is missing',
    what: 'Writes only documents that do not exist.',
    consequence: 'Documents that exist stay as they are, even if they differ from the backup. No document is deleted.',
  },
  merge: {
    name: 'Merge fields',
    what: "Writes the backup's fields into each document.",
    consequence: 'Fields that the backup has are replaced; fields that only the target has are kept. No document is deleted.',
  },
  rollback: {
    name: 'Roll back',
    what: 'Makes the target equal to the backup.',
    consequence:
      'Existing documents are replaced, and documents within the chosen scope that the backup does not have are deleted.',
  },
};

/** In the order of the phases. */
export const phaseWords: Readonly<Record<Restore['phase'], string>> = {
  Initializing: 'Connecting to the target',
  Downloading: 'Reading the backup',
  Decrypting: 'Opening its key',
  Decompressing: 'Reading its index',
  Validating: 'Comparing with the target',
  Restoring: 'Writing documents',
  Finalizing: 'Counting what was written',
  Completed: 'Done',
};
