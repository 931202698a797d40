import { useRouter } from '@tanstack/react-router';
import { paths } from '../paths.ts';
import { Card } from '../ui/data/card.tsx';
import { EmptyState } from '../ui/data/empty-state.tsx';
import { ErrorNotice } from '../ui/data/error-notice.tsx';
import { SkeletonText } from '../ui/data/skeleton.tsx';
import { ButtonLink } from '../ui/form/button-link.tsx';
import { PageHeader } from '../ui/layout/page-header.tsx';

export const PagePending = () => (
  <div className="page-state">
    <SkeletonText lines={5} />
  </div>
);

/** A page that could not be loaded or drawn. */
export const PageError = ({ error, reset }: { readonly error: unknown; readonly reset: () => void }) => {
  const router = useRouter();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  return (
    <div className="page-state">
      <ErrorNotice error={error} title="This page could not be shown" onRetry={retry} />
    </div>
  );
};

export const NotFound = () => (
  <>
    <PageHeader title="Page not found" />
    <Card>
      <EmptyState
        icon="search"
        level={2}
        title="There is no such page"
        actions={<ButtonLink to={paths.overview}>Go to the overview</ButtonLink>}
      >
        The address may be mistyped, or what it showed was removed.
      </EmptyState>
    </Card>
  </>
);
