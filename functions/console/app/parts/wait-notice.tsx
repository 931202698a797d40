import type { ReactNode } from 'react';
import { type Wait, waitWords } from '../data/job-words.ts';
import { formatCount } from '../format/format-number.ts';
import { sentence } from '../format/sentence.ts';
import { Elapsed } from '../ui/data/elapsed.tsx';
import { Notice } from '../ui/data/notice.tsx';
import { Time } from '../ui/data/time.tsx';

interface WaitNoticeProps {
  readonly wait: Wait;
  /** The job, if the page is not its own. */
  readonly subject?: ReactNode;
}

/** An outage while it lasts: what the job waits for, since when, what it has tried, and when it gives up. */
export const WaitNotice = ({ wait: { reason, since, attempts, problem, givesUpAt }, subject }: WaitNoticeProps) => {
  const { title, what } = waitWords[reason];
  return (
    <Notice
      tone="warn"
      title={
        <>
          {subject ? (
            <>
              {subject} {title.charAt(0).toLowerCase()}
              {title.slice(1)}
            </>
          ) : (
            title
          )}{' '}
          · <Elapsed since={since} />
        </>
      }
    >
      <p>{what}</p>
      <p>
        No progress since <Time at={since} seconds />.{' '}
        {attempts === 0
          ? 'The first attempt has not ended yet.'
          : `The step has failed ${attempts === 1 ? 'once' : `${formatCount(attempts)} times`} and is tried again.`}
        {problem && (
          <>
            {' '}
            The last time: <span className="wrap-anywhere">{sentence(problem)}</span>
          </>
        )}
      </p>
      {givesUpAt && (
        <p>
          It gives up at <Time at={givesUpAt} seconds /> unless it makes progress before.
        </p>
      )}
    </Notice>
  );
};
