import type { RestoreTestRun } from '../../contract/models/restore-test.ts';
import type { RunRecord } from './record.ts';

type Warning = RestoreTestRun['warnings'][number];

/** What a run that found nothing wrong does not prove. Derived, so that runs of earlier versions have them, too. */
export const runWarnings = ({
  target,
  comparisons,
  counts,
}: Pick<RunRecord, 'target' | 'comparisons' | 'counts'>): readonly Warning[] => {
  if (!comparisons) return [];
  const { index, source } = comparisons;
  return [
    ...(target || !index.compared ? [] : sourceWarning(source, index)),
    ...(index.compared && counts?.documents === 0 ? [emptyWarning(index, counts)] : []),
  ];
};

type Comparison = NonNullable<RunRecord['comparisons']>['index'];

const sourceWarning = (source: Comparison, index: Comparison): readonly Warning[] => {
  const because = source.reason === null ? '' : `: ${source.reason}`;
  if (!source.compared)
    return [{ code: 'SOURCE_NOT_COMPARED', message: `The backup was not compared with the source${because}` }];
  if (source.documents >= index.documents) return [];
  const message = `Only ${source.documents} of ${index.documents} documents were compared with the source${because}`;
  return [{ code: 'SOURCE_PARTLY_COMPARED', message }];
};

/** The share of an empty archive is 1. Documents that an erasure hides count in the index, but are not read. */
const emptyWarning = ({ share }: Comparison, { authUsers }: NonNullable<RunRecord['counts']>): Warning => ({
  code: 'NO_DOCUMENTS',
  message:
    share === 1
      ? `The backup holds no documents, as its index says${authUsers > 0 ? `, only ${authUsers} users` : ''}. The test proves that it can be read, and nothing more`
      : 'The test read no documents: erasures hide all documents of the backup',
});
