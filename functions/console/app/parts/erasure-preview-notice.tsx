import type { ErasurePreview } from '../data/erasure/erasures.ts';
import { describeFailure } from '../format/describe-failure.ts';
import { formatPlural } from '../format/format-number.ts';
import { Notice } from '../ui/data/notice.tsx';
import { Time } from '../ui/data/time.tsx';
import { PathList } from './path-list.tsx';

interface ErasurePreviewNoticeProps {
  /** Undefined if the backup could not be searched. */
  readonly found: ErasurePreview | undefined;
  readonly error: Error | null;
}

const elsewhere = 'Versions in other backups and in captured changes are hidden, too.';

/** The documents of the newest backup that an erasure would hide. */
export const ErasurePreviewNotice = ({ found, error }: ErasurePreviewNoticeProps) => {
  if (!found)
    return (
      <Notice tone="warn" title="The newest backup could not be searched">
        {error && describeFailure(error).message} You can erase without knowing how many documents match.
      </Notice>
    );
  const { backupId, readTime, documents, paths, complete } = found;
  if (backupId === null)
    return (
      <Notice title="There is no completed backup to search">
        The erasure applies to captured changes, and to backups that are imported later.
      </Notice>
    );
  const of = (
    <>
      the newest backup, of <Time at={readTime} />
    </>
  );
  if (documents === 0)
    return (
      <Notice tone="warn" title={complete ? 'No document matches' : 'No document was found yet'}>
        <p>
          Searched: {of}
          {complete ? '' : ', which lacks collections or is too large for a few seconds'}. Check the spelling. {elsewhere}
        </p>
      </Notice>
    );
  return (
    <Notice tone="warn" title={`${complete ? '' : 'At least '}${formatPlural(documents, 'document')} will be hidden`}>
      <div className="stack stack--tight">
        <p>
          In {of}
          {complete ? '' : ', which lacks collections or is too large for a few seconds'}. {elsewhere}
        </p>
        <PathList paths={paths} total={documents} />
      </div>
    </Notice>
  );
};
