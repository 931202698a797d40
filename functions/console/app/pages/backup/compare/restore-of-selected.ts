/** Where the restore of selected documents leads. */
import type { DataOf } from '../../../../../../shared/client/index.ts';
import { formatPlural } from '../../../format/format-number.ts';
import { chosenMax, fitsAddress, restoreOfDocuments } from '../../../parts/source/restore-documents.ts';
import { paths as pages } from '../../../paths.ts';

type DocumentChange = DataOf<'GET /backups/{backupId}/diff'>['changes'][number];

interface Selection {
  readonly backup: { readonly id: string };
  readonly changes: readonly DocumentChange[];
  readonly selected: ReadonlySet<string>;
  readonly isLive: boolean;
}

interface SelectedRestore {
  readonly to: string;
  readonly label: string;
  /** Why there is no restore of them. */
  readonly blocker?: string;
  readonly hint?: string;
}

export const restoreOfSelected = ({ backup: { id }, changes, selected, isLive }: Selection): SelectedRestore => {
  const documents = [...selected];
  const to = restoreOfDocuments(id, documents);
  if (documents.length === 0) return { to, label: 'Restore selected…', blocker: 'Select documents first' };
  const label = `Restore ${formatPlural(documents.length, 'document')}…`;
  if (fitsAddress(documents)) return { to, label };
  const collections = [...new Set(documents.map((path) => path.slice(0, path.lastIndexOf('/'))))];
  const isRemoved = isLive && changes.every(({ path, change }) => change === 'removed' || !selected.has(path));
  if (!isRemoved || !fitsAddress(collections))
    return { to, label, blocker: `Select at most ${chosenMax} documents, or restore their collections.` };
  return {
    to: pages.restoreWizard({ backupId: id, collections, below: 'no', mode: 'skip_existing', step: 'plan' }),
    label: `Restore what is missing in ${formatPlural(collections.length, 'collection')}…`,
    hint: `More than ${chosenMax} documents are restored by their collections: every document of the backup that is missing there, and no other.`,
  };
};
