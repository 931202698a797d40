import { hasWrittenAll, unwrittenWords } from '../../archive/index.ts';
import type { RestoreTestRun } from '../../contract/models/restore-test.ts';
import type { RunRecord } from './record.ts';

type Warning = RestoreTestRun['warnings'][number];

/** What a run that found nothing wrong does not prove. Derived, so that runs of earlier versions have them, too. */
export const runWarnings = (
  run: Pick<RunRecord, 'status' | 'target' | 'comparisons' | 'counts' | 'documentsWritten' | 'removal'>,
): readonly Warning[] => {
  const { status, target, comparisons, counts } = run;
  if (!comparisons) return [];
  const { index, source } = comparisons;
  return [
    ...(target || !index.compared ? [] : sourceWarning(source, index)),
    // A damaged archive has documents that could not be read; its failure says so.
    ...(index.compared && index.differences === 0 && counts?.documents === 0 ? [emptyWarning(index, counts)] : []),
    ...(status === 'passed' && !hasWrittenAll(run) ? [unwrittenWarning(run)] : []),
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

/** Only of runs of earlier versions: later ones fail instead. */
const unwrittenWarning = (run: Parameters<typeof unwrittenWords>[0]): Warning => ({
  code: 'NOT_WRITTEN',
  message: `${unwrittenWords(run)}: the target had equal documents already. The test does not prove that the backup can be restored`,
});
