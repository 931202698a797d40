import { formatPlural } from '../../../format/format-number.ts';
import { allowUnmatchedLabel } from '../../../parts/mask/mask-rules.ts';
import { Notice } from '../../../ui/data/notice.tsx';
import { Button } from '../../../ui/form/button.tsx';
import type { NumberedRule } from './find-unmatched.ts';

interface UnmatchedRulesProps {
  readonly unmatched: readonly NumberedRule[];
  readonly onBack: () => void;
}

/** Why there is no plan, in the words of the mask step. */
export const UnmatchedRules = ({ unmatched, onBack }: UnmatchedRulesProps) => (
  <div role="alert">
    <Notice
      tone="bad"
      title={`${formatPlural(unmatched.length, 'rule matches', 'rules match')} no field of the documents to restore`}
      actions={<Button onClick={onBack}>Change the rules</Button>}
    >
      <ul>
        {unmatched.map(({ number, rule: { collection, field } }) => (
          <li key={number} className="wrap-anywhere">
            Rule {number}: <code>{field}</code> in <code>{collection}</code>
          </li>
        ))}
      </ul>
      <p>The field may have another name. Correct the rule, or tick “{allowUnmatchedLabel}”. Nothing was written.</p>
    </Notice>
  </div>
);
