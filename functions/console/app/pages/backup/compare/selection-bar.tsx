import { usePermission } from '../../../api/permission.ts';
import type { DocumentChange } from '../../../data/backup-contents.ts';
import type { Backup } from '../../../data/backups.ts';
import { formatPlural } from '../../../format/format-number.ts';
import { Button } from '../../../ui/form/button.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { restoreOfSelected } from './restore-of-selected.ts';
import type { Sides } from './sides.ts';

interface SelectionBarProps {
  readonly backup: Backup;
  /** All that are loaded. */
  readonly changes: readonly DocumentChange[];
  readonly sides: Sides;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

/** Selects documents of the backup by what happened to them, and leads to their restore. */
export const SelectionBar = ({ backup, changes, sides, selected, onSelect }: SelectionBarProps) => {
  const { reason } = usePermission('member');
  const kinds = (['removed', 'added', 'changed'] as const)
    .filter((kind) => sides.hasIt(kind))
    .map((kind) => [kind, changes.filter(({ change }) => change === kind).map(({ path }) => path)] as const);
  const { to, label, blocker, hint } = restoreOfSelected({ backup, changes, selected, isLive: sides.against === 'live' });
  return (
    <div className="compare__selection">
      <div className="row">
        {kinds.map(
          ([kind, paths]) =>
            paths.length > 0 && (
              <Button key={kind} size="small" onClick={() => onSelect(new Set([...selected, ...paths]))}>
                Select all {kind}
              </Button>
            ),
        )}
        {selected.size > 0 && (
          <Button size="small" variant="quiet" onClick={() => onSelect(new Set())}>
            Clear
          </Button>
        )}
        <span className="small secondary" role="status">
          {selected.size === 0 ? 'Nothing selected' : `${formatPlural(selected.size, 'document')} selected`}
        </span>
      </div>
      <ButtonLink
        variant={selected.size > 0 ? 'primary' : 'secondary'}
        size="small"
        icon="undo"
        to={to}
        disabledReason={reason ?? blocker}
      >
        {label}
      </ButtonLink>
      {hint && <p className="small secondary compare__selection-hint">{hint}</p>}
    </div>
  );
};
