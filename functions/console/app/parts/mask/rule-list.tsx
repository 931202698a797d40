import { useState } from 'react';
import { Button } from '../../ui/form/button.tsx';
import { Input, Select } from '../../ui/form/field.tsx';
import { WordOptions } from '../../ui/form/options.tsx';
import { fakeTypes, fakeWords, type MaskRule, newRule, transforms, transformWords } from './mask-rules.ts';

/** A rule while it is edited. */
interface RuleRow {
  readonly id: number;
  readonly rule: MaskRule;
}

type RulePart = 'collection' | 'field';

interface RuleListProps {
  /** Those that the list begins with; afterwards it has its own, so that nothing sets back what is typed. */
  readonly rules: readonly MaskRule[];
  readonly onChange: (rules: readonly MaskRule[]) => void;
  /** What the service says about a part of a rule, counted from 0. */
  readonly errorOf?: ((index: number, part: RulePart) => string | undefined) | undefined;
}

/** Rules that mask documents, with a button for the next one and how to write them. */
export const RuleList = ({ rules, onChange, errorOf }: RuleListProps) => {
  const [rows, setRows] = useState<readonly RuleRow[]>(() => rules.map((rule, id) => ({ id, rule })));
  const show = (to: readonly RuleRow[]): void => {
    setRows(to);
    onChange(to.map(({ rule }) => rule));
  };
  const change = (id: number, to: MaskRule | undefined): void =>
    show(rows.flatMap((row) => (row.id === id ? (to ? [{ id, rule: to }] : []) : [row])));
  const add = (): void => show([...rows, { id: 1 + Math.max(-1, ...rows.map(({ id }) => id)), rule: newRule }]);
  return (
    <>
      {rows.length > 0 && (
        <ol className="stack stack--medium" aria-label="Rules">
          {rows.map(({ id, rule }, index) => (
            <li key={id} className="boxed">
              <RuleFields
                rule={rule}
                number={index + 1}
                errorOf={(part) => errorOf?.(index, part)}
                onChange={(to) => change(id, to)}
              />
            </li>
          ))}
        </ol>
      )}
      <div className="row">
        <Button icon="plus" onClick={add}>
          {rows.length === 0 ? 'Mask data' : 'Add a rule'}
        </Button>
      </div>
      {rows.length > 0 && <RuleHelp />}
    </>
  );
};

const RuleHelp = () => (
  <details className="mask__help">
    <summary>How to write collections and fields</summary>
    <ul className="mask__syntax">
      <li>
        <code>users</code>, <code>users/*/orders</code>, <code>**/orders</code> (at any depth), <code>*</code> (all collections)
      </li>
      <li>
        <code>email</code>, <code>address.street</code>, <code>contacts.*.phone</code>, <code>cards[].number</code> (elements of
        an array), <code>**.email</code> (at any depth), <code>*</code> (all fields)
      </li>
      <li>
        Names with special characters stand in back-quotes: <code>`first.name`</code>
      </li>
    </ul>
  </details>
);

interface RuleFieldsProps {
  readonly rule: MaskRule;
  readonly number: number;
  readonly errorOf: (part: RulePart) => string | undefined;
  /** Undefined removes the rule. */
  readonly onChange: (rule: MaskRule | undefined) => void;
}

const RuleFields = ({ rule, number, errorOf, onChange }: RuleFieldsProps) => (
  <fieldset className="mask__fields">
    <legend className="visually-hidden">Rule {number}</legend>
    <Input
      label="Collection"
      mono
      spellCheck={false}
      autoCapitalize="off"
      value={rule.collection}
      error={errorOf('collection')}
      onChange={({ target }) => onChange({ ...rule, collection: target.value })}
    />
    <Input
      label="Field"
      mono
      spellCheck={false}
      autoCapitalize="off"
      placeholder="email"
      value={rule.field}
      error={errorOf('field')}
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
