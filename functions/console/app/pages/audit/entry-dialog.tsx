import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '../../data/audit.ts';
import { actionName, actorName, groupName } from '../../data/audit-words.ts';
import type { NamedResource } from '../../data/use-resource-names.ts';
import { CodeBlock, CopyButton } from '../../ui/data/code-block.tsx';
import { Email } from '../../ui/data/email.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import type { AuditSearch } from './audit-filters.ts';

interface EntryDialogProps {
  /** Null: there is no such entry. Undefined while it loads. */
  readonly entry: AuditEntry | null | undefined;
  readonly resource: NamedResource | undefined;
  readonly onFilter: (filters: AuditSearch) => void;
  readonly onClose: () => void;
}

/** One entry. The address of the page names it, so that its link can be sent to others. */
export const EntryDialog = ({ entry, resource, onFilter, onClose }: EntryDialogProps) => {
  if (!entry)
    return (
      <Dialog open onClose={onClose} title={entry === null ? 'No such entry' : 'Loading the entry'}>
        {entry === null && 'The audit log has no entry with this id. Entries are kept as long as your plan allows.'}
      </Dialog>
    );
  const { id, action, actor, context, details, timestamp } = entry;
  const { type, id: resourceId } = entry.resource;
  const facts: readonly (readonly [label: string, value: string | null])[] = [
    ['IP address', context.ip],
    ['Location', context.location],
    ['Program', context.userAgent],
    ['Request id', context.requestId],
  ];
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title={actionName(action)}
      actions={
        <>
          <Button onClick={() => onFilter({ actorId: actor.id })}>
            {actor.type === 'user' ? 'All by this person' : 'All by this actor'}
          </Button>
          <Button onClick={() => onFilter({ resourceId })}>History of this {groupName(type).toLowerCase()}</Button>
        </>
      }
    >
      <div className="stack">
        <dl className="facts">
          <Fact label="When">
            <Time at={timestamp} seconds />
          </Fact>
          <Fact label="Who" className="wrap-anywhere">
            <Email text={actorName(actor)} />
          </Fact>
          <Fact label={groupName(type)} className="wrap-anywhere">
            {resource?.path ? <Link to={resource.path}>{resource.name}</Link> : resource?.name}
          </Fact>
          <Fact label="Resource id" className="wrap-anywhere">
            <code>{resourceId}</code> <CopyButton text={resourceId} label="Copy the resource id" />
          </Fact>
          {facts.map(([label, value]) => (
            <Fact key={label} label={label} className="wrap-anywhere">
              {value ?? <span className="muted">Not known</span>}
            </Fact>
          ))}
          <Fact label="Entry" className="wrap-anywhere">
            <code>{id}</code> <CopyButton text={globalThis.location.href} label="Copy the link to this entry" />
          </Fact>
        </dl>
        {Object.keys(details).length > 0 && <CodeBlock label="Details" code={JSON.stringify(details, undefined, 2)} />}
      </div>
    </Dialog>
  );
};
