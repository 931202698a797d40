import { useState } from 'react';
import type { DocumentChange } from '../../../data/backup-contents.ts';
import { Badge } from '../../../ui/data/badge.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { DocumentDiff } from './document-diff.tsx';
import type { Sides } from './sides.ts';

const words = { added: ['Added', 'good'], changed: ['Changed', 'warn'], removed: ['Removed', 'bad'] } as const;

interface ChangeListProps {
  readonly changes: readonly DocumentChange[];
  readonly sides: Sides;
  readonly run: number;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly isComplete: boolean;
}

/** The documents that differ. Each opens to its fields; those of the backup can be selected for a restore. */
export const ChangeList = ({ changes, sides, run, selected, onSelect, isComplete }: ChangeListProps) => {
  if (changes.length === 0)
    return <p className="compare__none muted">{isComplete ? 'None.' : 'None among the documents compared so far.'}</p>;
  const toggle = (path: string): void => {
    const next = new Set(selected);
    if (!next.delete(path)) next.add(path);
    onSelect(next);
  };
  return (
    <ul className="compare__list" aria-label="Documents that differ">
      {changes.map(({ path, change }) => (
        <ChangeRow
          key={path}
          path={path}
          change={change}
          sides={sides}
          run={run}
          isSelected={selected.has(path)}
          onToggle={sides.hasIt(change) ? () => toggle(path) : undefined}
        />
      ))}
    </ul>
  );
};

interface ChangeRowProps extends DocumentChange {
  readonly sides: Sides;
  readonly run: number;
  readonly isSelected: boolean;
  /** Undefined if this page's backup does not have the document. */
  readonly onToggle: (() => void) | undefined;
}

const ChangeRow = ({ path, change, sides, run, isSelected, onToggle }: ChangeRowProps) => {
  const [isOpen, setOpen] = useState(false);
  const [word, tone] = words[change];
  return (
    <li className="compare__row">
      <div className="compare__line">
        <label className="compare__pick" title={onToggle ? undefined : 'Not in this backup'}>
          <input
            type="checkbox"
            className="compare__check"
            aria-label={
              onToggle ? `Select ${path} to restore it` : `${path} is not in this backup, so it cannot be restored from it`
            }
            checked={isSelected}
            disabled={onToggle === undefined}
            onChange={onToggle}
          />
        </label>
        <button type="button" className="compare__toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
          <code className="wrap-anywhere">{path}</code>
          <Badge tone={tone}>{word}</Badge>
        </button>
      </div>
      {isOpen && <DocumentDiff path={path} sides={sides} run={run} />}
    </li>
  );
};
