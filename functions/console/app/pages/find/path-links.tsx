import { Link } from '@tanstack/react-router';
import { paths } from '../../paths.ts';
import { Time } from '../../ui/data/time.tsx';
import { Icon } from '../../ui/icon.tsx';

interface PathLinksProps {
  readonly projectId: string;
  readonly documents: readonly { readonly path: string; readonly deletedAt?: string }[];
}

/** Documents to choose one from. */
export const PathLinks = ({ projectId, documents }: PathLinksProps) => (
  <ul className="find__paths">
    {documents.map(({ path, deletedAt }) => (
      <li key={path}>
        <Link to={paths.findDocument({ path, projectId })} className="find__path">
          <Icon name="document" size={14} />
          <code className="wrap-anywhere">{path}</code>
          {deletedAt && (
            <span className="small secondary find__when">
              deleted <Time at={deletedAt} relative />
            </span>
          )}
          <Icon name="chevronRight" size={14} />
        </Link>
      </li>
    ))}
  </ul>
);
