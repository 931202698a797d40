import { useState } from 'react';
import { Notice } from '../../ui/data/notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Checkbox, Input, Select } from '../../ui/form/field.tsx';
import { WordOptions } from '../../ui/form/options.tsx';
import { LostRules } from './mask/lost-rules.tsx';
import {
  allowUnmatchedLabel,
  fakeTypes,
  fakeWords,
  type MaskRule,
  newRule,
  transforms,
  transformWords,
} from './mask/mask-rules.ts';
import type { Source } from './use-source.ts';
import type { Wizard } from './wizard-state.ts';

interface StepProps {
  readonly wizard: Wizard;
  readonly source: Source;
}

/** A rule while it is edited. */
interface RuleRow {
  readonly id: number;
  readonly rule: MaskRule;
}

/** Rules that hide personal data in the copy; none copies everything as it is. */
export const MaskStep = ({ wizard: { choice, choose }, source: { target } }: StepProps) => {
  const { allowUnmatched } = choice;
  // The address follows what is typed, and must not set it back.
  const [rows, setRows] = useState<readonly RuleRow[]>(() => choice.rules.map((rule, id) => ({ id, rule })));
  const chooseRows = (to: readonly RuleRow[]): void => {
    setRows(to);
    // An address that asks for a later step shows this one only while the rules are lost.
    choose({ rules: to.map(({ rule }) => rule), areRulesLost: false, rulesFrom: undefined, step: 'mask' });
  };
  const useRules = (rules: readonly MaskRule[]): void => chooseRows(rules.map((rule, id) => ({ id, rule })));
  const change = (id: number, to: MaskRule | undefined): void =>
    chooseRows(rows.flatMap((row) => (row.id === id ? (to ? [{ id, rule: to }] : []) : [row])));
  const add = (): void => chooseRows([...rows, { id: 1 + Math.max(-1, ...rows.map(({ id }) => id)), rule: newRule }]);
  return (
    <div className="stack">
      <p className="secondary">
        The copy in {target?.name ?? 'the target'} can go without personal data. Each rule names a collection and a field; a named
        field counts more than a wildcard. Without rules everything is copied as it is.
      </p>
      {choice.areRulesLost && <LostRules rulesFrom={choice.rulesFrom} onChoose={useRules} />}
      {rows.length > 0 && (
        <ol className="stack stack--medium" aria-label="Rules">
          {rows.map(({ id, rule }, index) => (
            <li key={id} className="boxed">
              <RuleFields rule={rule} number={index + 1} onChange={(to) => change(id, to)} />
            </li>
          ))}
        </ol>
      )}
      <div className="row">
        <Button icon="plus" onClick={add}>
          {rows.length === 0 ? 'Mask data' : 'Add a rule'}
        </Button>
      </div>
      {rows.length > 0 && (
        <>
          <details className="wizard__more">
            <summary>How to write collections and fields</summary>
            <ul className="wizard__syntax">
              <li>
                <code>users</code>, <code>users/*/orders</code>, <code>**/orders</code> (at any depth), <code>*</code> (all
                collections)
              </li>
              <li>
                <code>email</code>, <code>address.street</code>, <code>contacts.*.phone</code>, <code>cards[].number</code>{' '}
                (elements of an array), <code>**.email</code> (at any depth), <code>*</code> (all fields)
              </li>
              <li>
                Names with special characters stand in back-quotes: <code>`first.name`</code>
              </li>
            </ul>
          </details>
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

interface RuleFieldsProps {
  readonly rule: MaskRule;
  readonly number: number;
  /** Undefined removes the rule. */
  readonly onChange: (rule: MaskRule | undefined) => void;
}

const RuleFields = ({ rule, number, onChange }: RuleFieldsProps) => (
  <fieldset className="wizard__rule-fields">
    <legend className="visually-hidden">Rule {number}</legend>
    <Input
      label="Collection"
      mono
      spellCheck={false}
      autoCapitalize="off"
      value={rule.collection}
      onChange={({ target }) => onChange({ ...rule, collection: target.value })}
    />
    <Input
      label="Field"
      mono
      spellCheck={false}
      autoCapitalize="off"
      placeholder="email"
      value={rule.field}
      onChange={({ target }) => onChange({ ...rule, field: target.value })}
    />
    <Select
      label="Transform"
      value={rule.transform}
      onChange={({ target }) => {
        const transform = transforms.find((one) => one === target.value) ?? 'redact';
        const { type = 'name', ...rest } = rule;
        onChange({ ...rest, transform, ...(transform === 'fake' && { type }) });
      }}
    >
      <WordOptions of={transforms} words={transformWords} />
    </Select>
    {rule.transform === 'fake' && (
      <Select
        label="Kind"
        value={rule.type}
        onChange={({ target }) => onChange({ ...rule, type: fakeTypes.find((one) => one === target.value) })}
      >
        <WordOptions of={fakeTypes} words={fakeWords} />
      </Select>
    )}
    <Button variant="quiet" icon="trash" aria-label={`Remove rule ${number}`} onClick={() => onChange(undefined)}>
      Remove
    </Button>
  </fieldset>
);
