import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { decodeValue, type Fields, type FoundInParts, type Value } from '../../../../../shared/client/index.ts';
import { usePermission } from '../../api/permission.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { ErasureDialog } from '../../parts/erasure-dialog.tsx';
import { chosenMax, fitsAddress, restoreOfDocuments } from '../../parts/source/restore-documents.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { Icon } from '../../ui/icon.tsx';

/** An erasure names at most so many. */
const erasedMax = 1_000;

/** Each leads to where the document exists, beside the live one, and to its restore. */
export const FoundMatches = ({ found }: { readonly found: FoundInParts }) => {
  const { matches, isComplete, backupId, projectId } = found;
  const { reason } = usePermission('admin');
  const restorer = usePermission('member');
  const [isErasing, setErasing] = useState(false);
  const tooMany = isComplete && matches.length <= erasedMax ? undefined : 'Too many: erase them by the value of a field';
  if (matches.length === 0)
    return (
      <Card>
        <EmptyState
          icon="search"
          title="Nothing matches"
          actions={<ButtonLink to={paths.project(projectId)}>See the other backups</ButtonLink>}
        >
          Text is compared as it is written; “contains” ignores upper and lower case. Another backup may have it: each can be
          searched from its page.
        </EmptyState>
      </Card>
    );
  const title = isComplete
    ? `${formatPlural(matches.length, 'document')} found`
    : `The first ${formatCount(matches.length)} documents found`;
  const documents = matches.map(({ path }) => path);
  const actions = (
    <>
      <ButtonLink
        icon="undo"
        to={restoreOfDocuments(backupId, documents)}
        disabledReason={restorer.reason ?? (fitsAddress(documents) ? undefined : `At most ${chosenMax} can be restored at once`)}
      >
        Restore {matches.length === 1 ? 'it' : 'them'}…
      </ButtonLink>
      <Button variant="quiet-danger" disabledReason={reason ?? tooMany} onClick={() => setErasing(true)}>
        Erase from all backups…
      </Button>
    </>
  );
  return (
    <Card title={title} actions={actions} flush>
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
      {isErasing && <ErasureDialog projectId={projectId} documents={documents} onClose={() => setErasing(false)} />}
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
