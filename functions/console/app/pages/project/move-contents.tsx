import { useSession } from '../../api/session.ts';
import { connectedAs, type Project } from '../../data/projects.ts';
import { Icon } from '../../ui/icon.tsx';

interface MoveContentsProps {
  readonly project: Project;
  /** Owners of both organizations take the credentials along. */
  readonly isOwnerOfBoth: boolean;
}

/** What goes to the other organization, and what stays behind. */
export const MoveContents = ({ project: { connection }, isOwnerOfBoth }: MoveContentsProps) => {
  const { email } = useSession();
  const isOwnGrant = connection.type === 'user' && connection.email === email;
  // A workload identity is bound to its organization.
  const isConnectionMoved = connection.type !== 'workload_identity' && (isOwnerOfBoth || isOwnGrant);
  const credentials = 'credentials of the storage destinations';
  const moved = [
    'All backups that are kept, with their history of restores',
    'Its schedules, and copies of the storage destinations they use',
    ...(isOwnerOfBoth
      ? [`The ${credentials}, because you own both organizations (not those without a key: Google trusts this organization only)`]
      : []),
    ...(isConnectionMoved ? ['The connection to the database'] : []),
  ];
  const staying = [
    ...(isOwnerOfBoth
      ? []
      : [`The ${credentials}: enter them again in the other organization (only an owner of both takes them along)`]),
    ...(isConnectionMoved
      ? []
      : [`The connection as ${connectedAs(connection)}: the project must be reconnected there, and does not run until then`]),
    'Entries of the audit log so far, webhooks and API keys',
    'Backups that are deleted or expired already',
  ];
  return (
    <div className="form__pair">
      <ContentList title="Moves along" icon="check" items={moved} tone="good" />
      <ContentList title="Stays behind" icon="close" items={staying} tone="warn" />
    </div>
  );
};

interface ContentListProps {
  readonly title: string;
  readonly icon: 'check' | 'close';
  readonly tone: 'good' | 'warn';
  readonly items: readonly string[];
}

const ContentList = ({ title, icon, tone, items }: ContentListProps) => (
  <section className="stack stack--tight">
    <h3>{title}</h3>
    <ul className="stack stack--tight">
      {items.map((item) => (
        <li key={item} className={`contents__item contents__item--${tone}`}>
          <Icon name={icon} size={14} /> <span className="wrap-anywhere">{item}</span>
        </li>
      ))}
    </ul>
  </section>
);
