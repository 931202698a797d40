import type { AuditEntry } from '../../data/audit.ts';
import { CodeBlock } from '../../ui/data/code-block.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { actionName, actorName } from './audit-words.ts';

interface EntryDialogProps {
  readonly entry: AuditEntry;
  readonly onClose: () => void;
}

export const EntryDialog = ({ entry, onClose }: EntryDialogProps) => {
  const { action, actor, resource, context, details, timestamp } = entry;
  const facts: readonly (readonly [label: string, value: string | null])[] = [
    ['Who', actorName(actor)],
    ['Resource', `${resource.type} ${resource.id}`],
    ['IP address', context.ip],
    ['Location', context.location],
    ['Program', context.userAgent],
    ['Request id', context.requestId],
  ];
  return (
    <Dialog open onClose={onClose} wide title={actionName(action)}>
      <div className="stack">
        <dl className="facts">
          <Fact label="When">
            <Time at={timestamp} />
          </Fact>
          {facts.map(([label, value]) => (
            <Fact key={label} label={label} className="wrap-anywhere">
              {value ?? <span className="muted">Not known</span>}
            </Fact>
          ))}
        </dl>
        {Object.keys(details).length > 0 && <CodeBlock label="Details" code={JSON.stringify(details, undefined, 2)} />}
      </div>
    </Dialog>
  );
};
