import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { decodeValue, type Fields, type FoundInParts, type Value } from '../../../../../shared/client/index.ts';
import { usePermission } from '../../api/permission.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { ErasureDialog } from '../../parts/erasure-dialog.tsx';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Icon } from '../../ui/icon.tsx';

interface FoundMatchesProps {
  readonly found: FoundInParts;
  readonly backupTime: string | null;
}

/** An erasure names at most so many. */
const erasedMax = 1_000;

/** Each leads to where the document exists, beside the live one, and to its restore. */
export const FoundMatches = ({ found, backupTime }: FoundMatchesProps) => {
  const { matches, isComplete, scanned, backupId, projectId } = found;
  const { reason } = usePermission('admin');
  const [isErasing, setErasing] = useState(false);
  const tooMany = isComplete && matches.length <= erasedMax ? undefined : 'Too many: erase them by the value of a field';
  const where = (
    <>
      {formatPlural(scanned.documents, 'document')} searched in{' '}
      <Link to={paths.backup(backupId)}>
        the backup{' '}
        {backupTime && (
          <>
            of <Time at={backupTime} />
          </>
        )}
      </Link>
      .
    </>
  );
  if (matches.length === 0)
    return (
      <Card>
        <EmptyState icon="search" title="Nothing matches">
          {where} Text is compared as it is written; “contains” ignores upper and lower case.
        </EmptyState>
      </Card>
    );
  const title = isComplete ? formatPlural(matches.length, 'document') : `The first ${formatCount(matches.length)} documents`;
  const erase = (
    <Button variant="quiet-danger" disabledReason={reason ?? tooMany} onClick={() => setErasing(true)}>
      Erase from all backups…
    </Button>
  );
  return (
    <Card title={title} description={where} actions={erase} flush>
      <ul className="matches">
        {matches.map(({ path, fields, updateTime }) => (
          <li key={path}>
            <Link to={paths.findDocument({ path, projectId })} className="matches__row">
              <Icon name="document" size={14} />
              <code className="matches__path wrap-anywhere">{path}</code>
              <span className="small secondary matches__fields truncate">
                {fields ? shortOf(fields as Fields) : 'too large to show'}
              </span>
              {updateTime && (
                <span className="small secondary nowrap">
                  <Time at={updateTime} />
                </span>
              )}
              <Icon name="chevronRight" size={14} />
            </Link>
          </li>
        ))}
      </ul>
      {isErasing && (
        <ErasureDialog projectId={projectId} documents={matches.map(({ path }) => path)} onClose={() => setErasing(false)} />
      )}
    </Card>
  );
};

/** What fits into a line. */
const lengthMax = 300;

const shortOf = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join(', ')
    .slice(0, lengthMax);

const textOf = (value: Value): string => {
  const typed = decodeValue(value);
  switch (typed.type) {
    case 'string':
      return JSON.stringify(typed.text);
    case 'integer':
    case 'double':
      return typed.text;
    case 'boolean':
      return String(typed.value);
    case 'timestamp':
      return typed.at;
    case 'reference':
      return typed.path;
    case 'array':
      return `[${typed.values.map(textOf).join(', ')}]`;
    case 'map':
      return `{${shortOf(typed.fields)}}`;
    default:
      return typed.type;
  }
};
