import { type ReactNode, useState } from 'react';
import { decodeValue, type Fields, type TypedValue, type Value } from '../../../../../shared/client/index.ts';
import { formatPlural } from '../../format/format-number.ts';
import { Icon } from '../icon.tsx';
import { Scalar } from './scalar.tsx';

interface LinkProps {
  /** The properties of a link to the document of a reference. */
  readonly linkTo?: ((path: string) => object) | undefined;
}

interface Part {
  readonly name: string;
  readonly value: Value;
}

/** Parts shown at once of a map or array; the rest on request. */
const partsMax = 100;

const byName = ([a]: readonly [string, Value], [b]: readonly [string, Value]): number => (a < b ? -1 : 1);

export const partsOf = (fields: Fields): readonly Part[] =>
  Object.entries(fields)
    .sort(byName)
    .map(([name, value]) => ({ name, value }));

/** The parts of a value, and how many in words; undefined for a value without parts. */
const compoundOf = (value: TypedValue): { readonly parts: readonly Part[]; readonly summary: string } | undefined => {
  if (value.type === 'map') {
    const parts = partsOf(value.fields);
    return { parts, summary: formatPlural(parts.length, 'field') };
  }
  if (value.type === 'array') {
    const parts = value.values.map((one, n) => ({ name: String(n), value: one }));
    return { parts, summary: formatPlural(parts.length, 'element') };
  }
  if (value.type !== 'vector') return undefined;
  const parts = value.dimensions.map((text, n) => ({
    name: String(n),
    value: { doubleValue: Number.isNaN(Number(text)) ? text : Number(text) },
  }));
  return { parts, summary: formatPlural(parts.length, 'dimension') };
};

/** The fields of a document with their types. Maps and arrays open and close. */
export const FieldTree = ({ fields, linkTo }: { readonly fields: Fields } & LinkProps) => (
  <Parts parts={partsOf(fields)} depth={0} linkTo={linkTo} />
);

/** A single value, as FieldTree shows it, without a name. */
export const ValueView = ({ value, linkTo }: { readonly value: Value } & LinkProps) => {
  const typed = decodeValue(value);
  const compound = compoundOf(typed);
  return (
    <div className="value value--single">
      <span className="value__type">{typed.type}</span>
      {compound ? (
        <Disclosure label={compound.summary} isOpen={compound.parts.length <= 3}>
          <Parts parts={compound.parts} depth={1} linkTo={linkTo} />
        </Disclosure>
      ) : (
        <Scalar value={typed} linkTo={linkTo} />
      )}
    </div>
  );
};

const Parts = ({ parts, depth, linkTo }: { readonly parts: readonly Part[]; readonly depth: number } & LinkProps) => {
  const [shown, setShown] = useState(partsMax);
  if (parts.length === 0) return null;
  return (
    <ul className="value-list">
      {parts.slice(0, shown).map(({ name, value }) => (
        <PartRow key={name} name={name} value={value} depth={depth} linkTo={linkTo} />
      ))}
      {parts.length > shown && (
        <li>
          <button type="button" className="value__more" onClick={() => setShown(shown + 10 * partsMax)}>
            Show {formatPlural(Math.min(parts.length - shown, 10 * partsMax), 'more', 'more')}
          </button>
        </li>
      )}
    </ul>
  );
};

const PartRow = ({ name, value, depth, linkTo }: Part & { readonly depth: number } & LinkProps) => {
  const typed = decodeValue(value);
  const compound = compoundOf(typed);
  const head = (
    <>
      <span className="value__name">{name}</span>
      <span className="value__type">{typed.type}</span>
    </>
  );
  if (!compound || compound.parts.length === 0)
    return (
      <li className="value">
        {head}
        <div className="value__content">
          {compound ? <span className="value__summary">{compound.summary}</span> : <Scalar value={typed} linkTo={linkTo} />}
        </div>
      </li>
    );
  return (
    <li className="value value--compound">
      <Disclosure
        head={head}
        label={compound.summary}
        isOpen={depth === 0 && compound.parts.length <= 12 && typed.type === 'map'}
      >
        <Parts parts={compound.parts} depth={depth + 1} linkTo={linkTo} />
      </Disclosure>
    </li>
  );
};

interface DisclosureProps {
  readonly head?: ReactNode;
  readonly label: string;
  readonly isOpen: boolean;
  readonly children: ReactNode;
}

/** What is closed is not rendered: a document may have thousands of values. */
const Disclosure = ({ head, label, isOpen, children }: DisclosureProps) => {
  const [open, setOpen] = useState(isOpen);
  return (
    <>
      <button type="button" className="value__toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        {head}
        <span className="value__summary">
          <Icon name={open ? 'chevronDown' : 'chevronRight'} size={14} /> {label}
        </span>
      </button>
      {open && <div className="value__parts">{children}</div>}
    </>
  );
};
