import type { DataOf } from '../../../../../shared/client/index.ts';
import { formatCount } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import { stepWords } from '../../forms/storage/step-advice.ts';
import { Notice } from '../../ui/data/notice.tsx';
import { Icon } from '../../ui/icon.tsx';

type Result = DataOf<'POST /storage-destinations/{storageId}/test'>;

export const ProbeResult = ({ result: { duration, checks, warnings } }: { readonly result: Result }) => (
  <>
    <Notice tone="good" title={`The bucket works (tested in ${formatDuration(duration)})`}>
      <ul className="stack stack--tight">
        {checks.map(({ name, ok, error }) => (
          <li key={name} className="inline">
            <Icon name={ok ? 'check' : 'close'} /> {stepWords(name)} {error}
          </li>
        ))}
      </ul>
    </Notice>
    {warnings.length > 0 && (
      <Notice
        tone="warn"
        title={warnings.length === 1 ? 'One thing to improve' : `${formatCount(warnings.length)} things to improve`}
      >
        {warnings.map((warning) => (
          <p key={warning}>{warning}</p>
        ))}
      </Notice>
    )}
  </>
);
