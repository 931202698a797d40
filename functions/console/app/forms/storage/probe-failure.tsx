import { ApiFailure } from '../../../../../shared/client/index.ts';
import type { StorageFailureKind } from '../../../../../shared/contract/models/storage-destination.ts';
import { CodeBlock } from '../../ui/data/code-block.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { findingAdvice, stepWords } from './step-advice.ts';

interface ProbeFailureProps {
  readonly error: unknown;
  /** What became of it, such as "Nothing was saved". */
  readonly consequence?: string;
  readonly shownFields?: readonly string[];
}

interface Found {
  readonly step?: string;
  readonly kind?: StorageFailureKind;
  readonly externalId?: string;
  /** Of a workload identity: who needs a role on the bucket. */
  readonly account?: string;
}

/** What the test of a bucket found, in words: which step failed and what to do about it. */
export const ProbeFailure = ({ error, consequence, shownFields = [] }: ProbeFailureProps) => {
  const isFound = error instanceof ApiFailure && error.code === 'STORAGE_ERROR';
  const { step, kind, externalId, account }: Found = isFound ? error.details : {};
  const advice = findingAdvice({ step, kind });
  const title = ['The test failed', step && ` at the step “${stepWords(step)}”`, consequence && `. ${consequence}`];
  return (
    <div className="stack">
      <ErrorNotice
        error={error}
        shownFields={shownFields}
        {...(step && { title: title.filter(Boolean).join('') })}
        {...(advice && { advice })}
      />
      {account && step !== 'workloadIdentity' && <CodeBlock label="Who needs a role on the bucket" code={account} />}
      {externalId && <CodeBlock label="External id for the trust policy of the role" code={externalId} />}
    </div>
  );
};
