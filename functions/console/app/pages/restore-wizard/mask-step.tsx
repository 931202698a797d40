import { useState } from 'react';
import { allowUnmatchedLabel, type MaskRule } from '../../parts/mask/mask-rules.ts';
import { RuleList } from '../../parts/mask/rule-list.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Checkbox } from '../../ui/form/field.tsx';
import { LostRules } from './mask/lost-rules.tsx';
import type { Source } from './use-source.ts';
import type { Wizard } from './wizard-state.ts';

interface StepProps {
  readonly wizard: Wizard;
  readonly source: Source;
}

/** Rules that hide personal data in the copy; none copies everything as it is. */
export const MaskStep = ({ wizard: { choice, choose }, source: { target } }: StepProps) => {
  const { allowUnmatched, rules } = choice;
  /** Counts how often the rules came from elsewhere: the list begins anew with them. */
  const [begun, setBegun] = useState(0);
  // An address that asks for a later step shows this one only while the rules are lost.
  const chooseRules = (to: readonly MaskRule[]): void =>
    choose({ rules: to, areRulesLost: false, rulesFrom: undefined, step: 'mask' });
  const useRules = (to: readonly MaskRule[]): void => {
    chooseRules(to);
    setBegun(begun + 1);
  };
  return (
    <div className="stack">
      <p className="secondary">
        The copy in {target?.name ?? 'the target'} can go without personal data. Each rule names a collection and a field; a named
        field counts more than a wildcard. Without rules everything is copied as it is.
      </p>
      {choice.areRulesLost && <LostRules rulesFrom={choice.rulesFrom} onChoose={useRules} />}
      <RuleList key={begun} rules={rules} onChange={chooseRules} />
      {rules.length > 0 && (
        <>
          <Checkbox
            label={allowUnmatchedLabel}
            hint="Otherwise a rule without a match stops the restore before it writes: its field may have another name."
            checked={allowUnmatched}
            onChange={({ target: { checked } }) => choose({ allowUnmatched: checked })}
          />
          <Notice title="Users of Firebase Authentication are not copied">
            Rules mask documents. The names of documents stay, so that references stay valid.
          </Notice>
        </>
      )}
    </div>
  );
};
