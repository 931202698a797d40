import { useState } from 'react';
import { formatCount } from '../format/format-number.ts';
import { Badge } from '../ui/data/badge.tsx';
import { Button } from '../ui/form/button.tsx';

interface PathListProps {
  readonly paths: readonly string[];
  /** How many there are, if `paths` has only the first. */
  readonly total: number;
  /** Paths marked as new; they come first. */
  readonly added?: ReadonlySet<string> | undefined;
}

const firstCount = 10;

/** Paths of documents or collections; long lists open on demand. */
export const PathList = ({ paths, total, added }: PathListProps) => {
  const [isOpen, setOpen] = useState(false);
  const ordered = added ? paths.toSorted((a, b) => Number(added.has(b)) - Number(added.has(a))) : paths;
  // What is new is never hidden.
  const shown = isOpen ? ordered : ordered.slice(0, Math.max(firstCount, added?.size ?? 0));
  return (
    <div className="path-list">
      <ul>
        {shown.map((path) => (
          <li key={path}>
            <code className="wrap-anywhere">{path}</code>
            {added?.has(path) && <Badge tone="bad">New</Badge>}
          </li>
        ))}
      </ul>
      {shown.length < paths.length && (
        <Button size="small" variant="quiet" onClick={() => setOpen(true)}>
          Show {formatCount(paths.length - shown.length)} more
        </Button>
      )}
      {shown.length === paths.length && total > paths.length && (
        <p className="small">and {formatCount(total - paths.length)} more that are not listed here.</p>
      )}
    </div>
  );
};
