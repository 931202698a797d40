import { useState } from 'react';
import { type BackupEntry, useDocumentDiff } from '../../../data/backup-contents.ts';
import { formatPlural } from '../../../format/format-number.ts';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { ValueView } from '../../../ui/value/value-tree.tsx';
import type { Fields, Value } from '../../../ui/value/value-type.ts';
import { diffFields, type FieldChange } from './diff-fields.ts';
import { type Age, type Sides, selfLabel } from './sides.ts';

interface DocumentDiffProps {
  readonly path: string;
  readonly sides: Sides;
  readonly run: number;
}

const fieldsOf = (entry: BackupEntry | null | undefined): Fields => (entry?.fields ?? {}) as Fields;
const shownFirst = 100;

/** One document on both sides, field by field. */
export const DocumentDiff = ({ path, sides, run }: DocumentDiffProps) => {
  const { data, error, refetch } = useDocumentDiff(sides, path, run);
  const [shown, setShown] = useState(shownFirst);
  if (error && !data)
    return <ErrorNotice error={error} title="The document could not be compared" onRetry={() => void refetch()} />;
  if (!data?.document)
    return (
      <div className="stack stack--tight compare__document">
        <SkeletonText lines={3} />
      </div>
    );
  const { document } = data;
  const { before, after } = document;
  if (before?.fieldsTooLarge || after?.fieldsTooLarge)
    return (
      <p className="stack stack--tight compare__document secondary">This document differs, but is too large to be shown here.</p>
    );
  const { changes, unchanged } = diffFields(fieldsOf(before), fieldsOf(after));
  return (
    <div className="stack stack--tight compare__document">
      <table className="compare__fields" aria-label={`Fields of ${path}`}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">
              {selfLabel} <Stamp entry={document[sides.self]} />
            </th>
            <th scope="col">
              {sides.otherLabel} <Stamp entry={document[sides.other]} />
            </th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, shown).map((change) => (
            <FieldRow key={change.path} change={change} sides={sides} />
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

const FieldRow = ({ change, sides }: { readonly change: FieldChange; readonly sides: Sides }) => (
  <tr>
    <th scope="row">
      <code className="wrap-anywhere">{change.path}</code>
    </th>
    <Cell value={change[sides.self]} age={sides.self} label={selfLabel} />
    <Cell value={change[sides.other]} age={sides.other} label={sides.otherLabel} />
  </tr>
);

const Cell = ({ value, age, label }: { readonly value: Value | undefined; readonly age: Age; readonly label: string }) => (
  <td className={value ? `compare__cell compare__cell--${age}` : 'compare__cell'}>
    <span className="compare__side" aria-hidden="true">
      {label}
    </span>
    {value ? <ValueView value={value} /> : <span className="muted">No such field</span>}
  </td>
);
