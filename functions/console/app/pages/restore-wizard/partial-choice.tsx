import { useState } from 'react';
import type { ApiFailure } from '../../../../../shared/client/index.ts';
import { PathList } from '../../parts/path-list.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { TextWithTimes } from '../../ui/data/text-with-times.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Checkbox } from '../../ui/form/field.tsx';

interface PartialChoiceProps {
  readonly refusal: ApiFailure;
  readonly onContinue: () => void;
  readonly onBack: () => void;
}

/** A moment that is not proven complete: the person decides, with what is missing in view. */
export const PartialChoice = ({ refusal: { details }, onContinue, onBack }: PartialChoiceProps) => {
  const [isAccepted, setAccepted] = useState(false);
  const collections = (details.collections as readonly unknown[]).map(String);
  const count = typeof details.count === 'number' ? details.count : collections.length;
  return (
    <div className="stack">
      <Notice tone="warn" title="This point in time is not complete">
        <p>
          <TextWithTimes text={String(details.reason)} />.
        </p>
        {details.sampled ? (
          <p>
            Documents that were created and deleted within that time may be missing. A rollback deletes nothing, because every
            document may have existed.
          </p>
        ) : collections.length > 0 ? (
          <>
            <p>Collections whose changes are missing{details.complete === false && '; there may be others'}:</p>
            <PathList paths={collections} total={count} />
          </>
        ) : (
          <p>Which collections lack changes is not known.</p>
        )}
        {!details.sampled && (
          <p>Collections that are complete can be restored by name: choose them as the scope, without subcollections.</p>
        )}
      </Notice>
      <Checkbox
        label={
          details.sampled
            ? 'Restore what is known, although documents may be missing'
            : 'Restore what is proven, although changes are missing'
        }
        hint={`${details.sampled ? '' : 'Documents of these collections may be older than the point in time. '}You see the plan before anything is written.`}
        checked={isAccepted}
        onChange={({ target }) => setAccepted(target.checked)}
      />
      <div className="row">
        <Button onClick={onBack}>Choose another point in time</Button>
        <Button
          variant="primary"
          disabledReason={isAccepted ? undefined : 'Tick the box to go on although changes are missing'}
          onClick={onContinue}
        >
          Plan the partial restore
        </Button>
      </div>
    </div>
  );
};
