import { useDocumentDiff } from '../../../data/backup-contents.ts';
import { FieldDiff } from '../../../parts/field-diff.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { type Sides, selfLabel } from './sides.ts';

interface DocumentDiffProps {
  readonly path: string;
  readonly sides: Sides;
  readonly run: number;
}

/** One document on both sides, field by field. */
export const DocumentDiff = ({ path, sides, run }: DocumentDiffProps) => {
  const { data, error, refetch } = useDocumentDiff(sides, path, run);
  if (error && !data)
    return <ErrorNotice error={error} title="The document could not be compared" onRetry={() => void refetch()} />;
  return (
    <div className="compare__document">
      {data?.document ? (
        <FieldDiff
          path={path}
          {...data.document}
          columns={[
            [sides.self, selfLabel],
            [sides.other, sides.otherLabel],
          ]}
        />
      ) : (
        <SkeletonText lines={3} />
      )}
    </div>
  );
};
