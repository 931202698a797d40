import { formatPlural } from '../../../format/format-number.ts';
import { Notice } from '../../../ui/data/notice.tsx';
import { Button } from '../../../ui/form/button.tsx';
import type { RuleProblem } from './find-invalid.ts';

interface InvalidRulesProps {
  readonly problems: readonly RuleProblem[];
  readonly onBack: () => void;
}

/** Why there is no plan, in the words of the mask step. */
export const InvalidRules = ({ problems, onBack }: InvalidRulesProps) => {
  const count = new Set(problems.map(({ number }) => number)).size;
  return (
    <div role="alert">
      <Notice
        tone="bad"
        title={
          problems[0]?.number === undefined
            ? 'The rules are not valid'
            : formatPlural(count, 'rule is not valid', 'rules are not valid')
        }
        actions={<Button onClick={onBack}>Change the rules</Button>}
      >
        <ul>
          {problems.map(({ number, input, reason }) => (
            <li key={`${number} ${input?.label} ${reason}`} className="wrap-anywhere">
              {number === undefined ? 'The rules' : `Rule ${number}`}
              {input && (
                <>
                  , {input.label.toLowerCase()} <code>{input.text}</code>:
                </>
              )}{' '}
              {reason}.
            </li>
          ))}
        </ul>
        <p>Nothing was written.</p>
      </Notice>
    </div>
  );
};
