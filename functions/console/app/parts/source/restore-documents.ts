/** The restore of chosen documents of a backup. */
import { paths } from '../../paths.ts';

/** The choices of the wizard are part of its address, which has at most 10 KB. */
export const chosenMax = 100;
const charactersMax = 6_000;

export const fitsAddress = (names: readonly string[]): boolean =>
  names.length <= chosenMax && names.join().length <= charactersMax;

/** The plan of a restore of exactly these documents, without what is below them. */
export const restoreOfDocuments = (backupId: string, documents: readonly string[]): string =>
  paths.restoreWizard({ backupId, documents, below: 'no', step: 'plan' });
