import { useState } from 'react';
import { diffFields, type FieldChange, type Fields, type Value } from '../../../../shared/client/index.ts';
import type { BackupEntry } from '../data/backup-contents.ts';
import { formatPlural } from '../format/format-number.ts';
import { Time } from '../ui/data/time.tsx';
import { ValueView } from '../ui/value/value-tree.tsx';

type Age = 'before' | 'after';

interface FieldDiffProps {
  readonly path: string;
  /** The earlier and the later state; null where the document does not exist. */
  readonly before: BackupEntry | null;
  readonly after: BackupEntry | null;
  /** The columns, from left to right. */
  readonly columns: readonly (readonly [age: Age, label: string])[];
}

const fieldsOf = (entry: BackupEntry | null): Fields => (entry?.fields ?? {}) as Fields;
const shownFirst = 100;

/** A document in two states beside each other, field by field. */
export const FieldDiff = ({ path, before, after, columns }: FieldDiffProps) => {
  const [shown, setShown] = useState(shownFirst);
  if (before?.fieldsTooLarge || after?.fieldsTooLarge)
    return <p className="secondary">This document differs, but is too large to be shown here.</p>;
  const { changes, unchanged } = diffFields(fieldsOf(before), fieldsOf(after));
  const entries = { before, after };
  return (
    <div className="stack stack--tight">
      <table className="field-diff" aria-label={`Fields of ${path}`}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            {columns.map(([age, label]) => (
              <th key={age} scope="col">
                {label} <Stamp entry={entries[age]} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, shown).map((change) => (
            <FieldRow key={change.path} change={change} columns={columns} />
          ))}
        </tbody>
      </table>
      {changes.length > shown && (
        <button type="button" className="value__more" onClick={() => setShown(changes.length)}>
          Show {formatPlural(changes.length - shown, 'more field')}
        </button>
      )}
      <p className="small muted">{summary(changes.length, unchanged)}</p>
    </div>
  );
};

/** When a document was written last. */
const Stamp = ({ entry }: { readonly entry: BackupEntry | null }) =>
  entry ? (
    <span className="muted regular">
      · written <Time at={entry.updateTime} />
    </span>
  ) : (
    <span className="muted regular">· no such document</span>
  );

const summary = (changed: number, unchanged: number): string => {
  if (changed === 0) return 'The fields are the same now.';
  const differ = `${formatPlural(changed, 'field')} ${changed === 1 ? 'differs' : 'differ'}`;
  if (unchanged === 0) return `${differ}.`;
  return `${differ}, ${formatPlural(unchanged, 'field')} ${unchanged === 1 ? 'is' : 'are'} the same.`;
};

const FieldRow = ({ change, columns }: { readonly change: FieldChange; readonly columns: FieldDiffProps['columns'] }) => (
  <tr>
    <th scope="row">
      <code className="wrap-anywhere">{change.path}</code>
    </th>
    {columns.map(([age, label]) => (
      <Cell key={age} value={change[age]} age={age} label={label} />
    ))}
  </tr>
);

const Cell = ({ value, age, label }: { readonly value: Value | undefined; readonly age: Age; readonly label: string }) => (
  <td className={value ? `field-diff__cell field-diff__cell--${age}` : 'field-diff__cell'}>
    <span className="field-diff__side" aria-hidden="true">
      {label}
    </span>
    {value ? <ValueView value={value} /> : <span className="muted">No such field</span>}
  </td>
);
