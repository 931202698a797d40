import { ApiFailure } from '../../../../shared/client/index.ts';
import { Card } from '../ui/data/card.tsx';
import { EmptyState } from '../ui/data/empty-state.tsx';
import { ErrorNotice } from '../ui/data/error-notice.tsx';
import { ButtonLink } from '../ui/form/button-link.tsx';
import { PageHeader } from '../ui/layout/page-header.tsx';

export interface PageFailureProps {
  readonly error: unknown;
  /** The noun of what the page shows, such as `project`. */
  readonly what: string;
  /** The list that it belongs to. */
  readonly crumb: { readonly label: string; readonly to: string };
  readonly onRetry: () => void;
}

/** A page whose resource could not be read. One that does not exist is no error to retry: the way goes back to the list. */
export const PageFailure = ({ error, what, crumb, onRetry }: PageFailureProps) => (
  <>
    <PageHeader title={`${what.charAt(0).toUpperCase()}${what.slice(1)}`} crumbs={[crumb]} />
    {error instanceof ApiFailure && error.status === 404 ? (
      <Card>
        <EmptyState
          icon="search"
          level={2}
          title={`There is no such ${what}`}
          actions={<ButtonLink to={crumb.to}>Show all {crumb.label.toLowerCase()}</ButtonLink>}
        >
          It was removed, or it belongs to another organization. You can change the organization at the top of the menu.
        </EmptyState>
      </Card>
    ) : (
      <ErrorNotice error={error} title={`The ${what} could not be loaded`} onRetry={onRetry} />
    )}
  </>
);
