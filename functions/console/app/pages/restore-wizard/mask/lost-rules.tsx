import { useRestore } from '../../../data/restores.ts';
import { formatPlural } from '../../../format/format-number.ts';
import { type MaskRule, readRules } from '../../../parts/mask/mask-rules.ts';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { Button } from '../../../ui/form/button.tsx';

interface LostRulesProps {
  /** The restore that has the rules; undefined if the address was cut off or changed. */
  readonly rulesFrom: string | undefined;
  /** No rules: the copy is not masked. */
  readonly onChoose: (rules: readonly MaskRule[]) => void;
}

/** The copy was masked, and the address does not say how: a person decides, so that it is not repeated unmasked by mistake. */
export const LostRules = ({ rulesFrom, onChoose }: LostRulesProps) => {
  const { data, error } = useRestore(rulesFrom ?? '', rulesFrom !== undefined);
  const rules = data && readRules(data.ruleMatches?.map(({ documents: _, ...rule }) => rule));
  return (
    <>
      {error ? <ErrorNotice error={error} title="The rules of the earlier restore could not be loaded" /> : null}
      <Notice
        tone="warn"
        title="The copy before was masked"
        actions={
          <>
            {rulesFrom !== undefined && !error && (
              <Button
                variant="primary"
                busy={!rules}
                disabledReason={rules?.length === 0 ? 'The earlier restore has no rules' : undefined}
                onClick={() => onChoose(rules ?? [])}
              >
                {rules ? `Use its ${formatPlural(rules.length, 'rule')}` : 'Use its rules'}
              </Button>
            )}
            <Button onClick={() => onChoose([])}>Copy without masking</Button>
          </>
        }
      >
        {rulesFrom === undefined
          ? 'The rules in this address are incomplete, so none of them is used. Enter them again.'
          : 'Its rules were not carried over, because they are too many. Take them from the earlier restore, or enter others.'}
      </Notice>
    </>
  );
};
